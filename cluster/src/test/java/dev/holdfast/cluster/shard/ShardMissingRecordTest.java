package dev.holdfast.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.HoldfastException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.faults.CopyAtRest;
import dev.holdfast.faults.DroppedRecord;
import dev.holdfast.recovery.ObjectRecovery;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The copy of one node lacks a record of an object, and no checksum shows it. A node that takes the
 * shard with that copy gives out no state that needs the record, and never another one in its
 * place.
 */
final class ShardMissingRecordTest {

  private static final List<String> NAMESPACES = List.of("boxes", "pairs");

  /** Which node has the copy. */
  private enum Copy {
    /** What it has written last may be missing in its files. */
    OF_THE_LAST_OWNER("a", false),
    /** The present state is in its files. */
    OF_A_FOLLOWER("b", true),
    /** The record is missing when the node takes the shard, and opens its files. */
    THAT_NO_ROUND_HAS_READ("b", false),
    /** The record is missing when a round reads it. */
    THAT_THE_NEXT_ROUND_READS("b", false);

    private final String node;
    private final boolean hasFiles;

    Copy(String node, boolean hasFiles) {
      this.node = node;
      this.hasFiles = hasFiles;
    }
  }

  /** A state of the object. */
  private record Moment(String bookmark, Map<String, String> content) {

    /** By the format of bookmarks: the position up to which batches belong to it. */
    long position() {
      return Long.parseLong(bookmark.replace("-", "").substring(12, 24), 16) >> 1;
    }
  }

  @TempDir private Path directory;

  private static void register(ObjectRegistrar objects) {
    objects.namespace(
        "boxes",
        Box.class,
        Box.OnStorage::new,
        NamespaceOptions.DEFAULT.withStorage(StorageKind.SQLITE));
    objects.namespace(
        "pairs",
        Box.class,
        Box.OnStorage::new,
        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB));
  }

  private static Box subject(ObjectRuntime runtime, String namespace) {
    return runtime.namespace(namespace, Box.class).getByName("subject");
  }

  private static ObjectId id(ObjectRuntime runtime, String namespace) {
    return runtime.namespace(namespace, Box.class).idFromName("subject");
  }

  private static ObjectRecovery past(ObjectRuntime runtime, String namespace) {
    return runtime.recovery(namespace, id(runtime, namespace));
  }

  private static List<Moment> write(ObjectRuntime owner, String namespace) {
    List<Moment> moments = new ArrayList<>();
    for (int i = 1; i <= 4; i++) {
      subject(owner, namespace).put(i == 3 ? "b" : "a", "text " + i);
      owner.namespace(namespace, Box.class).getByName("other").put("x", "y" + i);
      moments.add(
          new Moment(
              past(owner, namespace).history(1).entries().getFirst().bookmark(),
              subject(owner, namespace).all()));
    }
    return moments;
  }

  @ParameterizedTest
  @EnumSource(Copy.class)
  void noStateIsMadeFromWhatIsLeft(Copy copy) throws Exception {
    String name = copy.node;
    try (LocalShard shard = new LocalShard(directory, ShardMissingRecordTest::register)) {
      shard.follow("b", Long.MAX_VALUE); // so that it has files
      ObjectRuntime owner = shard.own("a");
      Map<String, List<Moment>> moments =
          Map.of("boxes", write(owner, "boxes"), "pairs", write(owner, "pairs"));
      shard.awaitApplied("b", "a");
      if (copy == Copy.OF_A_FOLLOWER) {
        shard.follow("b", Long.MAX_VALUE);
      }
      shard.own("c");
      shard.stop(name);
      Path whole = directory.resolve(name);
      for (String namespace : NAMESPACES) {
        for (long dropped : positions(whole.resolve("journal"), namespace)) {
          Path damaged = directory.resolve("without-" + dropped);
          CopyAtRest.of(whole, damaged);
          DroppedRecord.drop(damaged.resolve("journal"), dropped);
          shard.startHeld(name, damaged);
          shard.hold(name, false);
          shard.awaitApplied(name, "c");
          if (copy == Copy.THAT_THE_NEXT_ROUND_READS) {
            refusal(() -> shard.follow(name, Long.MAX_VALUE));
          }
          requireStates(shard, copy, namespace, moments.get(namespace), dropped);
          shard.stop(name);
          shard.own("c");
        }
      }
    }
  }

  private static List<Long> positions(Path journal, String namespace) throws IOException {
    List<DroppedRecord.Found> records =
        DroppedRecord.all(journal).stream()
            .filter(each -> each.isChained() && each.namespace().equals(namespace))
            .toList();
    String subject = records.getFirst().id();
    List<Long> positions =
        records.stream()
            .filter(each -> each.id().equals(subject))
            .map(DroppedRecord.Found::position)
            .toList();
    assertThat(positions).hasSizeGreaterThanOrEqualTo(4);
    return positions;
  }

  private static void requireStates(
      LocalShard shard, Copy copy, String namespace, List<Moment> moments, long dropped)
      throws InterruptedException {
    String what = namespace + " without record " + dropped + ": ";
    ObjectRuntime runtime;
    try {
      runtime = shard.own(copy.node);
    } catch (HoldfastException e) {
      assertThat(copy.hasFiles).as("%sthe node does not take the shard: %s", what, e).isFalse();
      return;
    }
    Moment last = moments.getLast();
    Runnable present =
        () -> assertThat(subject(runtime, namespace).all()).as(what).isEqualTo(last.content());
    require(what + "present", copy.hasFiles ? false : null, present);
    ObjectNamespace<Box> boxes = runtime.namespace(namespace, Box.class);
    for (Moment moment : moments) {
      String to = what + "to " + moment.position() + ": ";
      String fork = "fork-" + moment.position() + "-" + dropped;
      boolean isNeeded = dropped > moment.position() || dropped == last.position();
      require(
          to + "fork",
          copy.hasFiles || isNeeded ? isNeeded : null,
          () -> {
            past(runtime, namespace).fork(moment.bookmark(), fork);
            assertThat(boxes.getByName(fork).all()).as(to).isEqualTo(moment.content());
          });
      if (dropped > moment.position()) {
        ObjectId id = id(runtime, namespace);
        Runnable restore = () -> runtime.admin().restoreNow(namespace, id, moment.bookmark());
        require(to + "restore", true, restore);
      }
    }
    require(what + "present", copy.hasFiles ? false : null, present);
  }

  /**
   * @param isRefused null for either: the files of the copy may or may not need the record
   */
  private static void require(String what, @Nullable Boolean isRefused, Runnable way) {
    HoldfastException refusal = refusal(way);
    if (isRefused != null) {
      assertThat(refusal != null).as("%s: %s", what, refusal).isEqualTo(isRefused);
    }
  }

  private static @Nullable HoldfastException refusal(Runnable way) {
    try {
      way.run();
      return null;
    } catch (HoldfastException e) {
      return e;
    }
  }
}
