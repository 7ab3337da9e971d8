package dev.holdfast.launcher;

import dev.holdfast.HoldfastException;
import dev.holdfast.launcher.process.CommandLog;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** A verb of the launcher. Exit codes: 0 success, 1 a check or the run failed, 2 wrong usage. */
public final class Verb {

  private static final OptionSpec.Builder HELP =
      OptionSpec.builder("-h", "--help").usageHelp(true).description("Prints this text.");

  private Verb() {}

  /**
   * Runs a verb and ends the process with its exit code.
   *
   * @param command the implementation of the verb, for the command line library
   * @param options the options of the verb
   */
  public static void main(Object command, String... options) {
    System.exit(run(command, options));
  }

  /**
   * Runs a verb. What it prints meanwhile is {@linkplain PlainText plain text}.
   *
   * @param command the implementation of the verb, for the command line library
   * @param options the options of the verb
   * @return the exit code
   */
  public static int run(Object command, String... options) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    System.setOut(PlainText.on(out));
    System.setErr(PlainText.on(err));
    try {
      int code = runPlain(command, options);
      if (!System.out.checkError()) {
        return code;
      }
      System.err.println("holdfast: the output could not be written whole");
      return code == ExitCode.OK ? ExitCode.SOFTWARE : code;
    } finally {
      System.out.flush();
      System.err.flush();
      System.setOut(out);
      System.setErr(err);
    }
  }

  private static int runPlain(Object command, String... options) {
    CommandLog.warningsOnly();
    CommandLine verb = commandLine(command);
    List<String> arguments = new ArrayList<>(List.of(verb.getCommandName()));
    arguments.addAll(List.of(options));
    return new CommandLine(new Launcher())
        .addSubcommand(verb)
        .setColorScheme(Help.defaultColorScheme(Ansi.OFF)) // colours are controls
        .setExpandAtFiles(false) // names of objects may begin with @
        .setParameterExceptionHandler((wrong, given) -> reportWrongUsage(wrong))
        .setExecutionExceptionHandler((failure, failed, parsed) -> reportFailure(failure, failed))
        .execute(arguments.toArray(String[]::new));
  }

  /**
   * {@return the options of a verb, with {@code --help}}
   *
   * @param command the implementation of the verb, for the command line library
   */
  public static CommandLine commandLine(Object command) {
    CommandLine verb = new CommandLine(command);
    verb.getCommandSpec().addOption(HELP.build());
    for (CommandLine part : verb.getSubcommands().values()) {
      if (part.getCommandSpec().findOption("--help") == null) {
        part.getCommandSpec().addOption(HELP.build());
      }
    }
    return verb;
  }

  private static int reportWrongUsage(ParameterException wrong) {
    CommandLine command = wrong.getCommandLine();
    String help = "; see ./" + command.getCommandSpec().qualifiedName() + " --help";
    command.getErr().println("holdfast: " + sentence(wrong) + help);
    return ExitCode.USAGE;
  }

  /**
   * Prints a failure that the user can act on as one sentence; any other failure is a defect,
   * printed with its stack.
   */
  private static int reportFailure(Exception failure, CommandLine command) throws Exception {
    return switch (failure) {
      case WrongInputException wrong -> {
        report(command, wrong);
        yield ExitCode.USAGE;
      }
      case RunFailedException failed -> {
        report(command, failed);
        yield ExitCode.SOFTWARE;
      }
      case HoldfastException failed -> {
        report(command, failed);
        yield ExitCode.SOFTWARE;
      }
      case IOException failed -> {
        report(command, failed);
        yield ExitCode.SOFTWARE;
      }
      case UncheckedIOException failed -> {
        report(command, failed);
        yield ExitCode.SOFTWARE;
      }
      default -> {
        command
            .getErr()
            .println(
                "holdfast: this should not happen, and is a defect of Holdfast; report it with the"
                    + " lines below. What the command had done is not undone");
        throw failure;
      }
    };
  }

  private static void report(CommandLine command, Exception failure) {
    command.getErr().println("holdfast: " + sentence(failure));
  }

  /** Returns one line: what failed, and why, as far as a cause adds information. */
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

  /** Adds the kind of failure to a message that is insufficient alone, such as a file name. */
  private static String words(Throwable failure) {
    String message = failure.getMessage();
    return switch (failure) {
      case UncheckedIOException unchecked ->
          words(Objects.requireNonNull(unchecked.getCause(), "Its constructor refuses null."));
      case NoSuchFileException missing -> "there is no file or directory " + missing.getFile();
      case FileAlreadyExistsException there -> there.getFile() + " exists already";
      case NotDirectoryException file -> file.getFile() + " is not a directory";
      case DirectoryNotEmptyException full -> "the directory " + full.getFile() + " is not empty";
      case AccessDeniedException denied ->
          "this user may not read or write " + denied.getFile() + "; check its permissions";
      case UnknownHostException unknown -> "there is no host " + unknown.getMessage();
      default -> otherWords(failure, message);
    };
  }

  private static String otherWords(Throwable failure, @Nullable String message) {
    return message != null && message.contains(" ") ? message : failure.toString();
  }

  /** The part of the command line before the verb. */
  @Command(name = "holdfast", synopsisSubcommandLabel = "VERB")
  private static final class Launcher {}
}
