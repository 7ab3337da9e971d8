package dev.holdfast.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.launcher.Verb;
import dev.holdfast.operate.inspect.InspectCommand;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arguments that mean nothing, or look like something else, and output that nobody takes. */
@TestInstance(Lifecycle.PER_CLASS)
class ArgumentsTest {

  /** A disk that is full, or the end of a pipe whose reader is gone. */
  private static final class Refusing extends OutputStream {

    @Override
    public void write(int value) throws IOException {
      throw new IOException("No space left on device");
    }
  }

  @TempDir private static Path directory;

  private ObjectRuntime runtime;

  @BeforeAll
  void open() {
    runtime = Shop.open(directory.resolve("data"), Shop.SERVED);
  }

  @AfterAll
  void close() {
    runtime.close();
  }

  private static CommandLineRun inspect(String... arguments) {
    return CommandLineRun.inspect(withData(arguments));
  }

  private static String[] withData(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--data", directory.resolve("data").toString()));
    return all.toArray(String[]::new);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "list accounts alice",
        "list accounts alice --at %s",
        "table accounts alice sent",
        "sql accounts alice SELECT(1)",
        "history accounts alice",
        "diff accounts alice %s",
        "commit 2",
        "alarms",
        "busiest",
        "writers",
        "consumers"
      })
  void limitsCountFromOne(String verb) {
    String last = inspect("history", "accounts", "alice", "--json").out();
    String bookmark = last.split("\"bookmark\" : \"")[1].split("\"")[0];
    String[] words = (verb.formatted(bookmark) + " --limit").split(" ");
    for (String limit : List.of("0", "-1", "-9223372036854775808")) {
      CommandLineRun run = inspect(with(words, limit));
      assertThat(run.code()).as(limit + run.out() + run.err()).isEqualTo(2);
      assertThat(run.out()).isEmpty();
      assertThat(run.err()).contains("limit").doesNotContain("defect");
    }
    for (String limit : List.of("3000000000", "9223372036854775807")) {
      CommandLineRun run = inspect(with(words, limit));
      assertThat(run.code()).as(limit + run.err()).isEqualTo(0);
    }
  }

  private static String[] with(String[] words, String last) {
    List<String> all = new ArrayList<>(List.of(words));
    all.add(last);
    return all.toArray(String[]::new);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--every", "--count"})
  void timesAndNumbersOfViewsAreNotNegative(String option) {
    CommandLineRun run = inspect("top", option, "-1");

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains(option).doesNotContain("defect");
  }

  @Test
  void anArgumentIsNeverTheNameOfAFileOfArguments() throws IOException {
    Path words = Files.writeString(directory.resolve("words"), "alice");

    CommandLineRun run = inspect("get", "accounts", "@" + words, "last");

    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("There is no object @" + words);
    assertThat(run.code()).isEqualTo(1);
  }

  private static CommandLineRun refused(String... arguments) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream complained = new ByteArrayOutputStream();
    System.setOut(new PrintStream(new Refusing(), true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(complained, true, StandardCharsets.UTF_8));
    try {
      int code = Verb.run(new InspectCommand(), withData(arguments));
      return new CommandLineRun(code, "", complained.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  @Test
  void outputThatIsLostIsAFailure() {
    CommandLineRun run = refused("objects", "--json");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).isEqualTo("holdfast: the output could not be written whole\n");
  }

  @Test
  @Timeout(60)
  void viewsEndWhenNobodyReadsThem() {
    assertThat(refused("top", "--every", "0").code()).isEqualTo(1);
  }
}
