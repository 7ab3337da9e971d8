package dev.holdfast.examples.launcher;

import dev.holdfast.HoldfastException;
import dev.holdfast.examples.RunFailedException;
import dev.holdfast.examples.WrongInputException;
import dev.holdfast.examples.conformance.ConformanceCommand;
import dev.holdfast.examples.crash.CrashTestCommand;
import dev.holdfast.examples.demo.DemoCommand;
import dev.holdfast.examples.serve.ServeCommand;
import dev.holdfast.examples.serve.TokenCommand;
import dev.holdfast.examples.serve.ZoneCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The command line. Exit codes: 0 all well, 1 a check or the run failed, 2 wrong usage. */
@Command(
    name = "holdfast",
    synopsisSubcommandLabel = "VERB",
    subcommands = {
      DemoCommand.class,
      CrashTestCommand.class,
      ConformanceCommand.class,
      ServeCommand.class,
      ZoneCommand.class,
      TokenCommand.class
    })
public final class Main {

  private static final OptionSpec.Builder HELP =
      OptionSpec.builder("-h", "--help").usageHelp(true).description("Prints this text.");

  private Main() {}

  /**
   * Runs one verb and ends the process with its exit code.
   *
   * @param arguments the verb and its options
   */
  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  /**
   * Runs one verb.
   *
   * @param arguments the verb and its options
   * @return the exit code
   */
  public static int run(String... arguments) {
    CommandLine commandLine = new CommandLine(new Main());
    commandLine
        .getSubcommands()
        .values()
        .forEach(verb -> verb.getCommandSpec().addOption(HELP.build()));
    return commandLine
        .setParameterExceptionHandler((wrong, given) -> tellWrongUsage(wrong))
        .setExecutionExceptionHandler((failure, command, parsed) -> tellFailure(failure, command))
        .execute(arguments);
  }

  private static int tellWrongUsage(ParameterException wrong) {
    CommandLine command = wrong.getCommandLine();
    tell(command, wrong);
    command.getErr().println("See ./" + command.getCommandSpec().qualifiedName() + " --help");
    return ExitCode.USAGE;
  }

  /**
   * A failure that the user can act on is a sentence; anything else is a defect, with its stack.
   */
  private static int tellFailure(Exception failure, CommandLine command) throws Exception {
    return switch (failure) {
      case WrongInputException wrong -> {
        tell(command, wrong);
        yield ExitCode.USAGE;
      }
      case RunFailedException failed -> {
        tell(command, failed);
        yield ExitCode.SOFTWARE;
      }
      case HoldfastException failed -> {
        tell(command, failed);
        yield ExitCode.SOFTWARE;
      }
      case IOException failed -> {
        tell(command, failed);
        yield ExitCode.SOFTWARE;
      }
      case UncheckedIOException failed -> {
        tell(command, failed);
        yield ExitCode.SOFTWARE;
      }
      default -> throw failure;
    };
  }

  private static void tell(CommandLine command, Exception failure) {
    command.getErr().println("holdfast: " + sentence(failure));
  }

  /** One line: what failed, and why, as far as a cause says more than what it has caused. */
  private static String sentence(Exception failure) {
    StringBuilder sentence = new StringBuilder(words(failure));
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      String words = words(cause);
      if (sentence.indexOf(words) < 0) {
        sentence.append(": ").append(words);
      }
    }
    return sentence.toString().replaceAll("\\R\\s*", " ");
  }

  /** A message such as a mere file name says too little without the kind of failure. */
  private static String words(Throwable failure) {
    String message = failure.getMessage();
    return message != null && message.contains(" ") ? message : failure.toString();
  }
}
