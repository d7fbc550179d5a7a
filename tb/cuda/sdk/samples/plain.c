int plain(int class) {  // C, not C++
  return class * 3;
}
