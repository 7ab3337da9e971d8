package dev.holdfast.embedded.operator;

import static dev.holdfast.embedded.operator.Accounts.ROCKSDB;
import static dev.holdfast.embedded.operator.Accounts.SQLITE;
import static dev.holdfast.embedded.operator.Accounts.about;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.embedded.StoppedDirectory;
import dev.holdfast.operator.Operations;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Operations on a directory that was killed. */
final class StoppedDirectoryTest {

  @TempDir private Path temporary;

  private Path killed = Path.of("");

  @BeforeEach
  void kill() throws IOException {
    try (ObjectRuntime runtime =
        Accounts.open(temporary.resolve("data"), new VirtualClock(), RuntimeOptions.DEFAULT)) {
      assertThat(runtime).isNotNull();
      killed = Accounts.killed(temporary.resolve("data"), temporary.resolve("killed"));
    }
  }

  private static List<Map<String, @Nullable Object>> ask(
      StoppedDirectory directory, OperatorRequest request) {
    List<Map<String, @Nullable Object>> answers = new ArrayList<>();
    new Operations(directory.inspected()).perform(request, answers::add);
    return answers;
  }

  private static Object balance(StoppedDirectory directory, String namespace, String object) {
    Map<String, @Nullable Object> answer =
        ask(directory, about("get", namespace, object).with("key", "balance")).getFirst();
    Object value = StructuredClone.standard().decode((byte[]) answer.get("value"));
    assertThat(value).isNotNull();
    return value;
  }

  @Test
  void objectsAreShownAsRecoveryWouldLeaveThem() {
    try (StoppedDirectory directory = StoppedDirectory.read(killed)) {
      assertThat(ask(directory, OperatorRequest.of("objects")))
          .extracting(each -> each.get("namespace") + " " + each.get("name"))
          .containsExactly("accounts alice", "rocks alice");
      assertThat(ask(directory, OperatorRequest.of("objects")))
          .allSatisfy(each -> assertThat(each.get("alarm")).hasToString("2030-01-01T00:00:00Z"))
          .allSatisfy(each -> assertThat(each.get("changed")).isNotNull())
          .allSatisfy(each -> assertThat((Long) each.get("bytes")).isPositive());
      assertThat(balance(directory, SQLITE, "alice")).isEqualTo(3L);
      assertThat(balance(directory, ROCKSDB, "alice")).isEqualTo(3L);
      assertThat(ask(directory, OperatorRequest.of("journal")))
          .extracting(each -> each.get("kind"))
          .containsExactly("batch", "batch");
    }
  }

  @Test
  void noByteAndNoTimeOfItChanges() throws IOException {
    Map<Path, String> before = snapshot();
    try (StoppedDirectory directory = StoppedDirectory.read(killed)) {
      for (String namespace : List.of(SQLITE, ROCKSDB)) {
        ask(directory, about("object", namespace, "alice"));
        ask(directory, about("history", namespace, "alice"));
        ask(directory, about("delete", namespace, "alice"));
        assertThat(ask(directory, about("objects", namespace, null))).isEmpty();
      }
    }
    assertThat(snapshot()).isEqualTo(before);
    try (StoppedDirectory directory = StoppedDirectory.read(killed)) {
      assertThat(balance(directory, SQLITE, "alice")).isEqualTo(3L);
    }
  }

  private Map<Path, String> snapshot() throws IOException {
    Map<Path, String> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(killed)) {
      for (Path file : (Iterable<Path>) all::iterator) {
        files.put(
            file,
            Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS)
                + " "
                + Files.getAttribute(file, "unix:ctime")
                + " "
                + (Files.isDirectory(file) ? "" : Arrays.hashCode(Files.readAllBytes(file))));
      }
    }
    return files;
  }

  @Test
  void runtimeIsKeptAwayUntilItIsClosed() {
    Path data = killed;
    try (StoppedDirectory directory = StoppedDirectory.read(data)) {
      assertThat(directory.inspected()).isNotNull();
      assertThatThrownBy(() -> Accounts.open(data, new VirtualClock(), RuntimeOptions.DEFAULT))
          .isInstanceOf(DirectoryInUseException.class);
    }
    try (ObjectRuntime runtime = Accounts.open(data, new VirtualClock(), RuntimeOptions.DEFAULT)) {
      assertThat(Accounts.account(runtime, SQLITE, "alice").add(0)).isEqualTo(6);
      assertThatThrownBy(() -> StoppedDirectory.read(data))
          .isInstanceOf(DirectoryInUseException.class);
    }
  }

  @Test
  void forkOfAStoppedDirectoryIsDurable() {
    try (StoppedDirectory directory = StoppedDirectory.change(killed)) {
      String bookmark =
          (String) ask(directory, about("history", SQLITE, "alice")).getFirst().get("bookmark");
      ask(directory, about("fork", SQLITE, "alice").with("bookmark", bookmark).with("name", "bob"));
    }
    try (StoppedDirectory directory = StoppedDirectory.read(killed)) {
      assertThat(balance(directory, SQLITE, "bob")).isEqualTo(3L);
    }
  }

  @Test
  void statementThatWritesIsRefusedAndChangesNothing() {
    try (StoppedDirectory directory = StoppedDirectory.change(killed)) {
      for (String sql : List.of("CREATE TABLE t (a)", "EXPLAIN SELECT 1; CREATE TABLE t (a)")) {
        try {
          ask(directory, about("sql", SQLITE, "alice").with("sql", sql));
        } catch (OperatorException e) {
          assertThat(e.reason()).isEqualTo(OperatorException.Reason.WRONG_REQUEST);
        }
      }
      assertThat(ask(directory, about("object", SQLITE, "alice")).getFirst().get("tables"))
          .isEqualTo(List.of());
    }
  }

  @Test
  void objectThatDoesNotExistIsNotCreated() {
    try (StoppedDirectory directory = StoppedDirectory.read(killed)) {
      assertThatThrownBy(() -> ask(directory, about("object", SQLITE, "nobody")))
          .isInstanceOf(OperatorException.class)
          .hasMessageContaining("There is no object nobody");
      assertThat(ask(directory, about("objects", SQLITE, null))).hasSize(1);
    }
  }
}
