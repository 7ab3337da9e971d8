package dev.holdfast.system.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ledger.demo.DemoCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo with a flight recording of each of its processes, as the launcher's help shows it. */
final class RecordedDemoTest {

  @TempDir private Path directory;

  /**
   * All calls meet in one account, so they wait for it, whatever the speed of the machine. A form
   * feed is no blank of the shell, which divides the options for the first process.
   */
  @Test
  void processThatEndsByItselfRecordsEightKindsOfEventsWithoutFurtherSettings() throws Exception {
    String recording =
        "-XX:StartFlightRecording=filename=" + directory.resolve("%p.jfr") + ",dumponexit=true";
    String output =
        demo(recording, "  -XX:TieredStopAtLevel=1 " + recording + "\n\t-Dholdfast.test=a\fb ");
    assertThat(output).contains("All promises were kept.");

    List<RecordedEvent> events =
        RecordingFile.readAllEvents(directory.resolve(secondChild(output) + ".jfr"));
    assertThat(
            events.stream()
                .map(each -> each.getEventType().getName())
                .filter(each -> each.startsWith("dev.holdfast."))
                .map(each -> each.substring("dev.holdfast.".length()))
                .distinct())
        .contains(
            "Activation",
            "Call",
            "CommitGroup",
            "GateWait",
            "Recovery",
            "Save",
            "SlowStatement",
            "Turn");
    assertThat(events)
        .anyMatch(
            each ->
                each.getEventType().getName().equals("jdk.InitialSystemProperty")
                    && each.getString("key").equals("holdfast.test")
                    && each.getString("value").equals("a\fb"));
  }

  private String demo(String option, String environment) throws IOException, InterruptedException {
    String transfers =
        IntStream.range(0, 600)
            .mapToObj(n -> "t%d,acc,acc-%d,1.00".formatted(n, n % 11))
            .collect(Collectors.joining("\n"));
    Path file = Files.writeString(directory.resolve("mine.csv"), transfers + "\n");
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                option,
                "--class-path",
                System.getProperty("java.class.path"),
                DemoCommand.class.getName(),
                "--file",
                file.toString(),
                "--data",
                directory.resolve("demo").toString())
            .redirectErrorStream(true);
    builder.environment().put("HOLDFAST_JAVA_OPTS", environment);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  private static String secondChild(String output) {
    Matcher found = Pattern.compile("3\\. Process (\\d+) runs the whole file").matcher(output);
    assertThat(found.find()).as(output).isTrue();
    return found.group(1);
  }
}
