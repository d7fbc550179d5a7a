int nothing;  // main is in the library
