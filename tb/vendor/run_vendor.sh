#!/usr/bin/env bash
# The twelve workloads with device code from the vendor's compiler: tb/vendor/*.ptx were made of
# kernels/plain/*/*.cu by `nvcc -ptx -arch=sm_75 -O3 -lineinfo` of CUDA 13.0. When a kernel's parameters
# change, make its PTX again.
source tb/kernels/matrix.sh
for k in "${workloads[@]}"; do
  for regs in 254 16; do
    if ! "$MPU" run -q --maxregs=$regs --device-ptx "tb/vendor/$k.ptx" --stats "$work/stats" \
      "kernels/$k" >"$work/out" 2>&1 || ! grep -q '"result": "pass"' "$work/stats"; then
      printf 'FAILED: mpu run --maxregs=%s --device-ptx tb/vendor/%s.ptx kernels/%s\n' $regs $k $k
      tail -n 5 "$work/out"
      failed=1
    fi
  done
done
exit $failed
