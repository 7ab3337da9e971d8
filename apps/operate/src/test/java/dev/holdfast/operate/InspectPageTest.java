package dev.holdfast.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the commands of the page about {@code inspect}. */
final class InspectPageTest {

  private static final Pattern COMMAND = Pattern.compile("(?m)^\\./holdfast inspect (.*)$");
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");

  @TempDir private Path temporary;

  @Test
  void commandsOfThePageSucceed() throws IOException {
    Path data = temporary.resolve("demo");
    String page = Files.readString(Path.of("../../docs/operations/inspect.md"));
    List<String> commands = COMMAND.matcher(page).results().map(each -> each.group(1)).toList();
    assertThat(commands).hasSizeGreaterThan(10);
    try (ObjectRuntime runtime = Shop.open(data, Shop.SERVED)) {
      assertThat(runtime).isNotNull();
      commands.forEach(command -> requireSuccess(command, data));
    }
  }

  private void requireSuccess(String command, Path data) {
    List<String> arguments = new ArrayList<>();
    Matcher words = WORD.matcher(command);
    while (words.find()) {
      String word = words.group(1) != null ? words.group(1) : words.group(2);
      arguments.add(
          switch (word) {
            case "data/demo" -> data.toString();
            case "alice.sqlite" -> temporary.resolve(word).toString();
            default -> word;
          });
    }
    CommandLineRun run = CommandLineRun.inspect(arguments.toArray(String[]::new));
    assertThat(run.err()).as(command).isEmpty();
    assertThat(run.code()).as(command).isZero();
  }
}
