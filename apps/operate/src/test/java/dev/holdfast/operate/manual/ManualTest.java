package dev.holdfast.operate.manual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.launcher.Verb;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The man pages, and the completion as bash runs it. */
final class ManualTest {

  private static final Path SCRIPT = Path.of("../../holdfast");

  @TempDir private Path directory;

  @BeforeEach
  void write() throws IOException {
    StringWriter completion = new StringWriter();
    int code =
        Verb.commandLine(new CompletionCommand()).setOut(new PrintWriter(completion)).execute();
    assertThat(code).isZero();
    Files.writeString(directory.resolve("completion"), completion.toString());
  }

  /** Completes the last word; {@code compopt} works only where the tabulator was pressed. */
  private List<String> complete(String... words) throws IOException, InterruptedException {
    String script =
        "source ./completion; compopt() { :; }; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1));"
            + " _complete_holdfast; printf '%s\\n' \"${COMPREPLY[@]}\"";
    Process bash =
        new ProcessBuilder(
                Stream.concat(Stream.of("bash", "-c", script, "bash"), Stream.of(words)).toList())
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .start();
    String printed = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor()).as(printed).isZero();
    return printed.lines().map(String::strip).toList();
  }

  @Test
  void verbsAreThoseOfTheLauncher() throws Exception {
    String table =
        Pattern.compile("(?s)\nverbs='(.*?)'")
            .matcher(Files.readString(SCRIPT))
            .results()
            .map(each -> each.group(1))
            .findFirst()
            .orElseThrow();
    List<String> verbs = table.lines().map(line -> line.split(" ")[0]).toList();
    assertThat(verbs).hasSizeGreaterThan(10);
    assertThat(complete("holdfast", "")).containsAll(verbs);
    assertThat(Launcher.allVerbs().getSubcommands().keySet())
        .containsOnlyOnceElementsOf(verbs)
        .hasSize(verbs.size() + 1); // help
  }

  @Test
  void verbOptionAndFileAreCompleted() throws Exception {
    assertThat(complete("holdfast", "rep")).containsExactly("repair");
    assertThat(complete("holdfast", "inspect", "jou")).containsExactly("journal");
    assertThat(complete("holdfast", "repair", "--fr")).containsExactly("--from");
    assertThat(complete("holdfast", "verify", "--de")).containsExactly("--deep");
    assertThat(complete("holdfast", "restore", "--")).contains("--from", "--to", "--at");
    assertThat(complete("holdfast", "backup", "--data", "compl")).containsExactly("completion");
  }

  @Test
  void eachVerbHasAPageWithItsOptionsAndAnExample() throws IOException {
    Path pages = directory.resolve("man");
    int code =
        Verb.commandLine(new ManualCommand())
            .setOut(new PrintWriter(new StringWriter()))
            .execute("--to", pages.toString());
    assertThat(code).isZero();
    requirePages(Launcher.verbs(), pages);
    assertThat(Files.readString(pages.resolve("holdfast.1"))).contains("holdfast\\-backup(1)");
  }

  private static void requirePages(CommandLine command, Path pages) throws IOException {
    String name = command.getCommandSpec().qualifiedName("-");
    String page = Files.readString(pages.resolve(name + ".1"));
    assertThat(page.lines().filter(line -> line.startsWith(".")))
        .as(name)
        .allMatch(line -> line.matches("\\.(TH .*|SH .*|TP|nf|fi)"));
    assertThat(page).contains(name.replace("-", "\\-") + " \\- ", ".SH SYNOPSIS", "EXIT STATUS");
    command
        .getCommandSpec()
        .options()
        .forEach(
            option ->
                assertThat(page).as(name).contains("\\fB" + option.names()[0].replace("-", "\\-")));
    if (command.getSubcommands().isEmpty()) {
      assertThat(page).as(name).contains(".SH EXAMPLES\n.nf\n", "./holdfast ");
    }
    for (CommandLine verb : command.getSubcommands().values()) {
      requirePages(verb, pages);
    }
  }
}
