// SPDX-License-Identifier: Apache-2.0
// A picture, turned about its middle: the texture filters and clamps. Compared with the same on the
// host in double, within what fractions of 8 bits allow; and with the rule, bit by bit.
#include <math.h>
#include "../../runtime/cu/check.h"
#include "reference.h"

texture<float, cudaTextureType2D, cudaReadModeElementType> tex;

__global__ void rotate(float *out, int width, int height, float c, float s) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const float u = __fdiv_rn((float)x + 0.5f, (float)width) - 0.5f;
  const float v = __fdiv_rn((float)y + 0.5f, (float)height) - 0.5f;
  const float tu = __fadd_rn(__fsub_rn(__fmul_rn(u, c), __fmul_rn(v, s)), 0.5f);
  const float tv = __fadd_rn(__fadd_rn(__fmul_rn(v, c), __fmul_rn(u, s)), 0.5f);
  out[y * width + x] = tex2D(tex, tu, tv);
}

int main() {
  enum { W = 96, H = 64 };
  picture p(cudaCreateChannelDesc<float>(), W, H, 1);
  float *pixels = (float *)p.bytes.data(), *device;
  std::vector<float> got(W * H);
  for (int n = 0; n < W * H; n++)
    pixels[n] = (float)((n % W / 8 + n / W / 8) % 2) + 0.01f * (n % 7);
  cudaArray *array;
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  OK(cudaMalloc((void **)&device, W * H * sizeof(float)));
  OK(cudaMallocArray(&array, &desc, W, H));
  OK(cudaMemcpyToArray(array, 0, 0, pixels, W * H * sizeof(float), cudaMemcpyHostToDevice));
  tex.addressMode[0] = cudaAddressModeWrap;
  tex.addressMode[1] = cudaAddressModeWrap;
  tex.filterMode = cudaFilterModeLinear;
  tex.normalized = true;
  OK(cudaBindTextureToArray(tex, array, desc));
  const float c = cosf(0.5f), s = sinf(0.5f);
  rotate<<<dim3(W / 16, H / 16), dim3(16, 16)>>>(device, W, H, c, s);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(got.data(), device, W * H * sizeof(float), cudaMemcpyDeviceToHost));
  const reading how = {true, true, false, {cudaAddressModeWrap, cudaAddressModeWrap, 0}, {}};
  double worst = 0;
  for (int n = 0; n < W * H; n++) {
    const float u = ((float)(n % W) + 0.5f) / W - 0.5f, v = ((float)(n / W) + 0.5f) / H - 0.5f;
    const float uc = u * c, vs = v * s, vc = v * c, us = u * s,
                at[] = {uc - vs + 0.5f, vc + us + 0.5f};
    value want[4];
    fetch(p, how, 2, at, 0, want);
    CHECK(got[n] == want[0].f);
    // plain bilinear
    const double x = at[0] * (double)W - 0.5, y = at[1] * (double)H - 0.5, a = x - floor(x),
                 b = y - floor(y);
    const int i = ((int)floor(x) % W + W) % W, j = ((int)floor(y) % H + H) % H, k = (i + 1) % W,
              l = (j + 1) % H;
    const double exact = (1 - b) * ((1 - a) * pixels[j * W + i] + a * pixels[j * W + k]) +
                         b * ((1 - a) * pixels[l * W + i] + a * pixels[l * W + k]);
    worst = fmax(worst, fabs(got[n] - exact));
  }
  CHECK(worst > 0 && worst < 2.2 / 512);
  OK(cudaFreeArray(array));
  OK(cudaFree(device));
  END;
}
