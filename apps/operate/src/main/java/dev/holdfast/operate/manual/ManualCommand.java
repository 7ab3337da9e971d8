package dev.holdfast.operate.manual;

import dev.holdfast.launcher.Verb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The verb {@code manual}. Created and populated by the command line library. */
@Command(
    name = "manual",
    description = {
      "Writes a man page for each verb, to be read with man -l or copied to a directory man1.",
      "Example: ./holdfast manual --to /usr/local/share/man/man1"
    })
public final class ManualCommand implements Callable<Integer> {

  @Option(
      names = "--to",
      paramLabel = "DIR",
      required = true,
      description = "Where the pages are written; pages of the same names are replaced.")
  private @Nullable Path target;

  @Spec private @Nullable CommandSpec spec;

  /** Creates the command; called by the command line library. */
  public ManualCommand() {}

  /**
   * Runs the verb and ends the process with its exit code.
   *
   * @param options the options of the verb
   */
  public static void main(String[] options) {
    Verb.main(new ManualCommand(), options);
  }

  @Override
  public Integer call() throws IOException {
    if (target == null || spec == null) {
      throw new IllegalStateException("The command line library has not set the options.");
    }
    Files.createDirectories(target);
    int pages = write(Launcher.verbs(), target);
    spec.commandLine().getOut().println(pages + " pages in " + target);
    spec.commandLine().getOut().flush();
    return 0;
  }

  private static int write(CommandLine command, Path directory) throws IOException {
    ManPage page = new ManPage(command.getCommandSpec());
    Files.writeString(directory.resolve(page.name() + ".1"), page.text());
    int pages = 1;
    for (CommandLine verb : command.getSubcommands().values()) {
      pages += write(verb, directory);
    }
    return pages;
  }
}
