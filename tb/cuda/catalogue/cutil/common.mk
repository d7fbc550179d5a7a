# SPDX-License-Identifier: Apache-2.0
# Rules that the Makefiles of the ISPASS 2009 suite include: CUFILES, CCFILES and CFILES make EXECUTABLE.
CUTIL := $(dir $(lastword $(MAKEFILE_LIST)))
OBJECTS := $(patsubst %,obj/%.o,$(notdir $(CUFILES) $(CCFILES) $(CFILES)))
VPATH := $(sort $(dir $(CUFILES) $(CCFILES) $(CFILES)))
PROGRAM := $(BINDIR)/$(BINSUBDIR)/$(strip $(EXECUTABLE))
WORDS := $(INCLUDES) -I. -I$(CUTIL) -O2 -w

$(PROGRAM): $(OBJECTS)
	mkdir -p $(@D)
	nvcc $^ -o $@ $(LIB) $(LINKFLAGS) -lm
obj/%.cu.o: %.cu
	mkdir -p obj
	nvcc $(WORDS) -c $< -o $@
obj/%.cpp.o: %.cpp
	mkdir -p obj
	nvcc $(WORDS) -c $< -o $@
obj/%.c.o: %.c
	mkdir -p obj
	nvcc $(WORDS) -c $< -o $@
