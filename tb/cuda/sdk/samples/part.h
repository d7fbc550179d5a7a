#pragma once
int sum_on_device(int n);  // 0 + ... + n - 1
