# Sizes and repetitions, which the programs of llm.c have as constants, for a simulator.
s/\b(B) = (8|32);/\1 = 2;/
s/\b(T) = 1024;/\1 = 64;/
s/\b(C) = (768|1600);/\1 = 128;/
s/\b(OC) = 768 \*/\1 = 128 */
s/\b(NH) = 12;/\1 = 2;/
s/\b(V) = 50257;/\1 = 1531;/
s/\b(repeat_times) = [0-9]+;/\1 = 1;/
