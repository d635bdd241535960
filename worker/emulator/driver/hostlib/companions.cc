// Libraries that a real toolkit has and programs name when they link (tiling, registration, platform, logs). What they
// hold there is in headers or in libascendcl.so here, so each is this one symbol.
extern "C" const char ks_companion_of_the_emulated_cann[] = "emulated CANN";
