package dev.holdfast.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.conformance.Verdict.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of recordings that the runner has never seen. */
final class NewRecordingsTest {

  private static final String STORED = "{\"r\":{\"$undefined\":true}}";

  @TempDir Path directory;

  @Test
  void areaHasALineAndADeviationShowsWhatWasExpectedAndWhatCame() throws IOException {
    String steps = "[{\"ops\":[{\"m\":\"put\",\"a\":[\"a\",1]},{\"m\":\"get\",\"a\":[\"a\"]}]}]";
    write(
        "91-right",
        steps,
        "{\"sql\":[[" + STORED + ",{\"r\":1}]],\"cache\":[[" + STORED + ",{\"r\":1}]]}");
    write("92-wrong", steps, "{\"sql\":[[" + STORED + ",{\"r\":2}]]}");

    assertThat(report(ConformanceCommand.run(List.of(directory))))
        .containsSubsequence(
            "91-right                 sqlite: 1 passed, 0 failed, 0 skipped;"
                + " rocksdb: 1 passed, 0 failed, 0 skipped",
            "92-wrong                 sqlite: 0 passed, 1 failed, 0 skipped",
            "      expected 2",
            "      actual   1")
        .endsWith("2 passed, 1 failed, 0 skipped");
  }

  @Test
  void ruleAboutCountsExcusesNoValueAlthoughItLooksLikeACount() throws IOException {
    String steps =
        "[{\"ops\":[{\"on\":\"sql\",\"m\":\"exec\",\"a\":[\"select 'x rr=1 rw=1' as v limit 1\"],"
            + "\"as\":\"c\"},{\"on\":\"c\",\"m\":\"toArray\",\"a\":[]}]}]";
    write("93-same", steps, rows("x rr=1 rw=1", 7));
    write("94-other", steps, rows("x rr=2 rw=1", 7));

    assertThat(ConformanceCommand.run(List.of(directory)))
        .extracting(Verdict::outcome)
        .containsExactly(Outcome.SKIPPED, Outcome.FAILED);
  }

  @Test
  void firstErrorOfACursorIsNoDeviation() throws IOException {
    String steps =
        "[{\"ops\":[{\"on\":\"sql\",\"m\":\"exec\",\"a\":[\"select 1 as v union all select"
            + " json('{')\"],\"as\":\"c\"},{\"on\":\"c\",\"m\":\"toArray\",\"a\":[]}]}]";
    write("95-error", steps, rows("anything", 0));

    assertThat(ConformanceCommand.run(List.of(directory)))
        .extracting(Verdict::outcome)
        .containsExactly(Outcome.FAILED);
  }

  /** The transcript of a query for one row, with a number of rows read. */
  private static String rows(String value, int rowsRead) {
    String counters = ",\"rr\":" + rowsRead + ",\"rw\":0}";
    return "{\"sql\":[[{\"cols\":[\"v\"]"
        + counters
        + ",{\"r\":[{\"v\":\""
        + value
        + "\"}]"
        + counters
        + "]]}";
  }

  private void write(String area, String steps, String expect) throws IOException {
    String name = "{\"cases\":[{\"name\":\"" + area + "\",";
    Files.createDirectories(directory.resolve("cases"));
    Files.createDirectories(directory.resolve("expected"));
    Files.writeString(
        directory.resolve("cases").resolve(area + ".json"), name + "\"steps\":" + steps + "}]}");
    Files.writeString(
        directory.resolve("expected").resolve(area + ".json"),
        name + "\"expect\":" + expect + "}]}");
  }

  private static List<String> report(List<Verdict> verdicts) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new ConformanceReport(new PrintStream(bytes, true, UTF_8)).print(verdicts);
    return bytes.toString(UTF_8).lines().toList();
  }
}
