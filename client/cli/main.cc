// kernelsmith: the command-line program. Everything it does goes through the public client library.
#include <unistd.h>

#include <iostream>

#include "client/cli/interrupt.h"
#include "client/cli/program.h"

int main(int argc, char** argv) {
  kernelsmith::client::Interrupts interrupts;
  const kernelsmith::client::Surroundings surroundings{
      .out = &std::cout,
      .err = &std::cerr,
      .terminal = isatty(STDOUT_FILENO) == 1,
      .interrupted = interrupts.token(),
      .interrupts = &interrupts,
  };
  return kernelsmith::client::RunProgram({argv + 1, argv + argc}, surroundings);
}
