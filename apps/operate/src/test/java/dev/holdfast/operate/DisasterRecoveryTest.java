package dev.holdfast.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the commands of {@code docs/operations/disaster-recovery.md}, a disaster for each section.
 */
final class DisasterRecoveryTest {

  private static final Path PAGE = Path.of("../../docs/operations/disaster-recovery.md");
  private static final Pattern SECTION = Pattern.compile("(?ms)^## ([^\n]+)\n(.*?)(?=^## |\\z)");
  private static final Pattern COMMANDS = Pattern.compile("(?ms)^```sh\n(.*?)^```$");

  /** The page's moment is between the two. */
  private static final Instant BEFORE = Instant.parse("2026-11-23T09:00:00Z");

  private static final Instant AFTER = Instant.parse("2026-11-23T10:00:00Z");

  @TempDir private Path machine;

  /** An order. */
  public interface Order {

    /** Replaces the text. */
    void write(String text);

    /** {@return the text} */
    String read();
  }

  private record OrderObject(ObjectContext context) implements Order {

    @Override
    public void write(String text) {
      context.storage().put("text", text);
    }

    @Override
    public String read() {
      return context.storage().get("text", String.class).orElse("nothing");
    }
  }

  private Path data() {
    return machine.resolve("data/orders");
  }

  private ObjectRuntime start(Instant time) {
    Path archive = machine.resolve("mnt/archive/orders");
    RuntimeOptions options =
        RuntimeOptions.DEFAULT
            .withArchive(ArchiveOptions.to(new DirectoryArchive(archive)))
            .withOperatorSocket();
    return Holdfast.open(
        data(),
        new VirtualClock(time),
        objects -> objects.namespace("orders", Order.class, OrderObject::new).options(options));
  }

  private static Order order(ObjectRuntime runtime, String name) {
    return runtime.namespace("orders", Order.class).getByName(name);
  }

  @BeforeEach
  void writeBeforeAndAfterTheMomentOfThePage() {
    try (ObjectRuntime runtime = start(BEFORE)) {
      order(runtime, "customer-17").write("before");
      order(runtime, "customer-18").write("unchanged");
    }
    try (ObjectRuntime runtime = start(AFTER)) {
      order(runtime, "customer-17").write("after");
    }
  }

  /** Runs the commands of a section; each must succeed. Returns what the last one printed. */
  private String run(String section) throws IOException, InterruptedException {
    String printed = "";
    for (String command : commands(section)) {
      String local =
          command
              .replaceAll("(?<= )data(?=/| |$)", machine.resolve("data").toString())
              .replaceAll("(?<= )/mnt/", machine.resolve("mnt") + "/");
      if (local.startsWith("./holdfast ")) {
        String[] words = local.split(" ");
        CommandLineRun run =
            CommandLineRun.of(words[1], Arrays.copyOfRange(words, 2, words.length));
        assertThat(run.code()).as("%s%n%s%n%s", command, run.out(), run.err()).isZero();
        printed = run.out();
      } else {
        Process process = new ProcessBuilder("sh", "-c", local).inheritIO().start();
        assertThat(process.waitFor()).as(command).isZero();
      }
    }
    return printed;
  }

  private static List<String> commands(String section) throws IOException {
    String text =
        SECTION
            .matcher(Files.readString(PAGE))
            .results()
            .filter(each -> each.group(1).equals(section))
            .map(each -> each.group(2))
            .findFirst()
            .orElseThrow();
    return COMMANDS.matcher(text).results().flatMap(block -> block.group(1).lines()).toList();
  }

  private void assertRead(String first, String second) {
    try (ObjectRuntime runtime = start(AFTER)) {
      assertThat(order(runtime, "customer-17").read()).isEqualTo(first);
      assertThat(order(runtime, "customer-18").read()).isEqualTo(second);
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      files
          .sorted(Comparator.reverseOrder())
          .forEach(
              file -> {
                try {
                  Files.delete(file);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }

  @Test
  void eachSectionWithCommandsIsRunHere() throws IOException {
    List<String> sections =
        SECTION
            .matcher(Files.readString(PAGE))
            .results()
            .filter(each -> COMMANDS.matcher(each.group(2)).find())
            .map(each -> each.group(1))
            .toList();
    assertThat(sections)
        .containsExactly(
            "The disk is lost",
            "Only a backup is left",
            "Wrong data in many objects",
            "One object is wrong",
            "One object from the archive",
            "The directory is damaged",
            "The drill");
  }

  @Test
  void lostDiskIsRestoredFromTheArchive() throws Exception {
    delete(machine.resolve("data"));
    run("The disk is lost");
    assertRead("after", "unchanged");
  }

  @Test
  void lostDiskIsReplacedByTheBackup() throws Exception {
    try (ObjectRuntime runtime = start(AFTER)) {
      runtime.backup(machine.resolve("mnt/backup/orders"));
      order(runtime, "customer-17").write("after the backup");
    }
    delete(machine.resolve("data"));
    run("Only a backup is left");
    assertRead("after", "unchanged");
  }

  @Test
  void wrongDataOfManyObjectsAreTakenBack() throws Exception {
    run("Wrong data in many objects");
    assertRead("before", "unchanged");
  }

  @Test
  void oneObjectIsTakenBackWhileTheProcessRuns() throws Exception {
    try (ObjectRuntime runtime = start(AFTER)) {
      order(runtime, "customer-18").write("later");
      assertThat(run("One object is wrong")).contains("value: before");
    }
    assertRead("before", "later");
  }

  @Test
  void oneObjectComesFromTheArchiveWhileTheProcessRuns() throws Exception {
    try (ObjectRuntime runtime = start(AFTER)) {
      order(runtime, "customer-18").write("later");
      assertThat(run("One object from the archive")).contains("value: before");
    }
    assertRead("before", "later");
  }

  @Test
  void damagedDirectoryIsRepaired() throws Exception {
    try (Stream<Path> files = Files.walk(data().resolve("sqlite/orders"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".sqlite")).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length - 20] ^= 1;
        Files.write(file, bytes);
      }
    }
    assertThat(CommandLineRun.of("verify", "--data", data().toString()).code()).isEqualTo(1);
    run("The directory is damaged");
    assertRead("after", "unchanged");
  }

  @Test
  void drillLeavesTheProcessAlone() throws Exception {
    try (ObjectRuntime runtime = start(AFTER)) {
      assertThat(run("The drill")).contains("customer-17", "customer-18");
      assertThat(machine.resolve("data/drill")).doesNotExist();
      order(runtime, "customer-18").write("later");
    }
    assertRead("after", "later");
  }
}
