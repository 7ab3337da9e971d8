package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.cluster.catchup.Rounds;
import dev.holdfast.recovery.ObjectRecovery;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** History is dropped on all nodes alike, and not what a node that is away needs. */
@EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
final class RetainedHistoryTest {

  private static final long SEGMENT_BYTES = 128 << 10;

  /** A round after four segments, or long after this test. */
  private static final ClusterNode.Settings SMALL =
      ClusterNode.Settings.DEFAULT
          .withRounds(new Rounds.Limits(4 * SEGMENT_BYTES, Long.MAX_VALUE / 128))
          .withJournalSegment(SEGMENT_BYTES);

  private static final int NOTE_BYTES = 100_000;

  interface Notes {
    long add(byte[] note);

    long count();
  }

  record NotesObject(ObjectContext context) implements Notes {
    @Override
    public long add(byte[] note) {
      long count = count() + 1;
      context.storage().put("count", count);
      context.storage().put("note", note);
      return count;
    }

    @Override
    public long count() {
      return context.storage().get("count", Long.class).orElse(0L);
    }
  }

  @TempDir private Path directory;

  private final Random random = new Random(1);
  private long acknowledged;

  private static Consumer<ObjectRegistrar> objects(long historyBytesMax) {
    return objects -> {
      objects.options(RuntimeOptions.DEFAULT.withHistoryBytesMax(historyBytesMax));
      objects.namespace("notes", Notes.class, NotesObject::new);
    };
  }

  @Test
  void historyIsDroppedOnAllNodesOnceTheOneThatWasAwayHasIt() throws Exception {
    try (ThreeNodes nodes = ThreeNodes.open(directory, 1, objects(0), SMALL)) {
      nodes.move(0, "a");
      nodes.awaitReady();
      nodes.closeNode("c");
      write(nodes, 20, NOTE_BYTES);
      assertThat(segmentsOf("a")).contains(1L); // c may need it
      assertThat(nodes.get("a").historyUsage().bytesMax()).isZero();

      nodes.openNode("c");
      nodes.awaitReady();
      for (String name : List.of("a", "b", "c")) {
        while (segmentsOf(name).getFirst() == 1) {
          write(nodes, 1, NOTE_BYTES);
        }
      }
      while (since(nodes, "a") == null
          || !Objects.equals(since(nodes, "a"), since(nodes, "b"))
          || !Objects.equals(since(nodes, "a"), since(nodes, "c"))) {
        write(nodes, 1, 10);
      }

      nodes.openFourth(); // it gets the files of the objects
      ThreeNodes.untilChanged(() -> nodes.get("a").add(nodes.fourth()));
      for (String name : List.of("c", "b", "d")) {
        nodes.move(0, name);
        nodes.awaitReady();
        assertThat(ThreeNodes.known(notes(nodes)::count)).isEqualTo(acknowledged);
      }
    }
  }

  @Test
  void diskOfEveryNodeIsBoundedWhenTwentyTimesTheCapIsWritten() throws Exception {
    long cap = 4 * SEGMENT_BYTES;
    try (ThreeNodes nodes = ThreeNodes.open(directory, 1, objects(cap), SMALL)) {
      write(nodes, 1, 10);
      String first = recovery(nodes, "a").history(1).entries().getFirst().bookmark();
      write(nodes, (int) (20 * cap / NOTE_BYTES), NOTE_BYTES);

      for (String name : List.of("a", "b", "c")) {
        while (journalBytesOf(name) > 4 * cap) {
          write(nodes, 1, 10);
        }
        assertThatThrownBy(() -> recovery(nodes, name).restoreOnNextSession(first))
            .isInstanceOfSatisfying(
                BookmarkException.class,
                thrown -> assertThat(thrown.reason()).isEqualTo(BookmarkException.Reason.NOT_KEPT));
        String last = recovery(nodes, name).history(1).entries().getFirst().bookmark();
        assertThat(recovery(nodes, name).diff(last, last)).isEmpty();
      }
      for (String name : List.of("a", "b", "c")) {
        nodes.move(0, name);
        nodes.awaitReady();
        assertThat(ThreeNodes.known(notes(nodes)::count)).isEqualTo(acknowledged);
      }
    }
  }

  private static Instant since(ThreeNodes nodes, String name) {
    return nodes.get(name).shards().getFirst().restorableSince();
  }

  private static ObjectRecovery recovery(ThreeNodes nodes, String name) {
    ObjectNamespace<Notes> notes = nodes.get(name).namespace("notes", Notes.class);
    return nodes.get(name).recovery("notes", notes.idFromName("n"));
  }

  private static Notes notes(ThreeNodes nodes) {
    return nodes.get("a").namespace("notes", Notes.class).getByName("n");
  }

  private void write(ThreeNodes nodes, int count, int bytes) {
    Notes notes = notes(nodes);
    for (int i = 0; i < count; i++) {
      byte[] note = new byte[bytes];
      random.nextBytes(note);
      acknowledged =
          ThreeNodes.addedOnce(() -> notes.add(note.clone()), notes::count, acknowledged);
    }
  }

  private List<Path> filesOf(String node) throws IOException {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> all =
        Files.newDirectoryStream(directory.resolve(node).resolve("shards/0000/journal"))) {
      all.forEach(files::add);
    }
    return files;
  }

  /** {@return the first positions of the segments of a node} */
  private List<Long> segmentsOf(String node) throws IOException {
    return filesOf(node).stream()
        .map(file -> String.valueOf(file.getFileName()))
        .filter(name -> name.endsWith(".log"))
        .map(name -> Long.parseLong(name.substring(0, 16), 16))
        .sorted()
        .toList();
  }

  private long journalBytesOf(String node) throws IOException {
    long bytes = 0;
    for (Path file : filesOf(node)) {
      try {
        bytes += Files.size(file);
      } catch (NoSuchFileException e) {
        continue; // removed just now
      }
    }
    return bytes;
  }
}
