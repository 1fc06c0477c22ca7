/* The library that does nothing, for unload.c. */
int nothing(void);
int nothing(void) { return 0; }
