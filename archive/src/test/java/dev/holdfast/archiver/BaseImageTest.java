package dev.holdfast.archiver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archive.RestoreTarget.AtPosition;
import dev.holdfast.archive.RestoreTarget.AtTime;
import dev.holdfast.archive.RestoreTarget.Latest;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.journal.ShardEpoch;
import dev.holdfast.statistics.ArchiveStatistics.State;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Images of the files in an archive: what a restore begins with, and what they let be deleted. */
final class BaseImageTest {

  private final ArchivedJournals place = new ArchivedJournals();

  @AfterEach
  void delete() throws IOException {
    place.close();
  }

  private ArchiveOptions eachWrite() {
    return ArchiveOptions.to(place.store).withBaseBytes(1);
  }

  /** Writes a text that is larger than an image, and archives it. */
  private void write(ArchivedJournals.Opened opened, ArchiveWriter writer, String text)
      throws IOException {
    opened.write(text);
    place.clock.advance(Duration.ofSeconds(1));
    writer.run();
  }

  private String fileOf(String restored) throws IOException {
    Path file = place.directory.resolve(restored).resolve(ArchivedJournals.FILE);
    return Files.exists(file) ? Files.readString(file) : "none";
  }

  @Test
  void restoreBeginsWithTheNewestImageBeforeTheMoment() throws IOException {
    Instant afterTwo;
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer = opened.writer(eachWrite());
      write(opened, writer, "1");
      write(opened, writer, "2");
      afterTwo = Instant.ofEpochMilli(place.clock.wallMillis());
      place.clock.advance(Duration.ofSeconds(1));
      write(opened, writer, "3");
      ArchiveWriter without = opened.writer();
      write(opened, without, "4");
      assertThat(without.statistics().basePosition()).isEqualTo(3);
    }
    assertThat(place.restored("latest", new Latest())).containsExactly("3", "4");
    assertThat(fileOf("latest")).isEqualTo("3");
    assertThat(place.restored("two", new AtPosition(2))).containsExactly("2");
    assertThat(fileOf("two")).isEqualTo("2");
    assertThat(place.restored("time", new AtTime(afterTwo))).containsExactly("2");
    assertThat(fileOf("time")).isEqualTo("2");
  }

  @Test
  void damagedImageIsNotUsed() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer = opened.writer(eachWrite());
      write(opened, writer, "1");
      write(opened, writer, "2");
    }
    for (String name : place.archive.names()) {
      if (name.endsWith(".pack") && name.contains("/0000000000000002/")) {
        place.archive.damage(name, bytes -> new byte[bytes.length]);
      }
    }
    assertThat(place.restored("latest", new Latest())).containsExactly("1", "2");
    assertThat(fileOf("latest")).isEqualTo("1");
  }

  @Test
  void imageHasTheRecordsThatAViewNeedsForItsHistory() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer = opened.writer();
      write(opened, writer, "1");
      write(opened, writer, "2");
      opened.floor = 2;
      write(opened, opened.writer(eachWrite()), "3");
    }
    assertThat(place.restored("latest", new Latest())).containsExactly("2", "3");
    assertThat(fileOf("latest")).isEqualTo("3");
  }

  /** Its copy had begun before the purge was asked for, and has an image's only place. */
  @Test
  void purgeEndsThoughAnEarlierImageHasThePositionOfTheLastRecord() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer = opened.writer();
      write(opened, writer, "1");
      write(opened, writer, "2");
      writer = opened.writer(eachWrite());
      opened.copyLag = 2;
      write(opened, writer, "3");
      assertThat(writer.statistics().basePosition()).isEqualTo(3);
      opened.copyLag = 0;
      writer.purgeBefore(3);
      for (int run = 0; run < 3; run++) {
        writer.run();
        place.clock.advance(Duration.ofSeconds(1));
      }
      assertThat(writer.purgedBefore()).isEqualTo(3);
    }
    assertThat(place.restored("latest", new Latest())).containsExactly("settled");
    assertThat(fileOf("latest")).isEqualTo("4");
  }

  /** A purge gives an image up that needs earlier records, and what is there of it is older. */
  @Test
  void purgeDeletesWhatThereIsOfAnImageThatItGaveUp() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer = opened.writer(eachWrite());
      opened.large = new byte[StagedBase.PACK_BYTES + 1];
      place.store.refuse("1.pack");
      opened.write("1");
      assertThatThrownBy(writer::run).isInstanceOf(IOException.class);
      assertThat(place.archive.names()).filteredOn(name -> name.endsWith("0.pack")).hasSize(1);
      place.store.refuse("");
      opened.large = new byte[0];
      opened.write("2");
      writer.purgeBefore(2);
      writer.run();
      assertThat(writer.purgedBefore()).isEqualTo(2);
    }
    assertThat(place.archive.names())
        .filteredOn(name -> name.endsWith(".pack"))
        .allMatch(name -> name.contains("/0000000000000002/"));
    assertThat(place.restored("latest", new Latest())).containsExactly("2");
  }

  /** What is in the archive of an image that was given up has the names of one of its position. */
  @Test
  void purgeMakesNoImageAtThePositionOfOneThatItGaveUp() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer = opened.writer();
      write(opened, writer, "1");
      write(opened, writer, "2");
      ArchiveWriter purging = opened.writer(eachWrite());
      opened.copyLag = 2;
      opened.large = new byte[10];
      place.store.refuse(".base");
      assertThatThrownBy(() -> write(opened, purging, "3")).isInstanceOf(IOException.class);
      opened.copyLag = 0;
      opened.large = new byte[0];
      place.store.refuse("");
      purgeAndCheck(purging);
    }
    assertThat(fileOf("latest")).isEqualTo("4");
  }

  /** Its entry is in the archive, and the runtime does not know that. */
  @Test
  void purgeEndsThoughTheImageThatItGaveUpIsComplete() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer = opened.writer();
      write(opened, writer, "1");
      write(opened, writer, "2");
      ArchiveWriter purging = opened.writer(eachWrite());
      opened.copyLag = 2;
      place.store.afterNext(
          () -> {
            throw new IOException("connection reset");
          },
          "bases/0000000000000002/0000000000000003.base");
      assertThatThrownBy(() -> write(opened, purging, "3")).isInstanceOf(IOException.class);
      opened.copyLag = 0;
      purgeAndCheck(purging);
    }
    assertThat(fileOf("latest")).isEqualTo("4");
  }

  private void purgeAndCheck(ArchiveWriter writer) throws IOException {
    writer.purgeBefore(3);
    for (int run = 0; run < 3; run++) {
      writer.run();
      place.clock.advance(Duration.ofSeconds(1));
    }
    assertThat(writer.purgedBefore()).isEqualTo(3);
    assertThat(place.archive.names())
        .filteredOn(name -> name.endsWith(".pack"))
        .allMatch(name -> name.contains("/0000000000000004/"));
    assertThat(place.restored("latest", new Latest())).containsExactly("settled");
  }

  /** Before it looks for what a killed runtime has left: the store may have much of that. */
  @Test
  void purgeOfASupersededRuntimeDeletesNothing() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      write(opened, opened.writer(eachWrite()), "1");
      Generation own = Objects.requireNonNull(new ArchiveFiles(place.archive).newest());
      Trimming trimming = new Trimming(new ArchiveFiles(place.store), eachWrite(), place.clock);
      List<String> folders = new ArrayList<>();
      place.store.onDeleteUnfinished(folders::add);
      assertThatThrownBy(() -> trimming.runToLatest(own, () -> false))
          .isInstanceOf(IOException.class);
      assertThat(folders).isEmpty();
      trimming.runToLatest(own, () -> true);
      assertThat(folders).containsExactly("generations/", "journal/", "bases/");
    }
  }

  @Test
  void packThatIsAnotherOneIsNotTakenForTheSame() throws IOException {
    BaseFiles bases = new BaseFiles(new ArchiveFiles(place.archive));
    BaseFiles.Place at = new BaseFiles.Place(1, 3);
    assertThat(bases.add(at, 0, new byte[] {1})).isTrue();
    assertThat(bases.add(at, 0, new byte[] {1})).isTrue();
    assertThat(bases.add(at, 0, new byte[] {2})).isFalse();
  }

  @Test
  void onlySoManyImagesStayAndNothingBeforeThem() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer = opened.writer(eachWrite().withBasesMax(2));
      for (String text : List.of("1", "2", "3", "4")) {
        write(opened, writer, text);
      }
    }
    assertThat(place.archive.names())
        .filteredOn(name -> name.endsWith(".base") || name.endsWith(".chunk"))
        .containsExactly(
            "bases/0000000000000001/0000000000000003.base",
            "bases/0000000000000001/0000000000000004.base",
            "journal/0000000000000001/0000000000000003.chunk",
            "journal/0000000000000001/0000000000000004.chunk");
    assertThat(place.restored("latest", new Latest())).containsExactly("4");
    assertThat(place.restored("three", new AtPosition(3))).containsExactly("3");
    assertThatThrownBy(() -> place.restored("two", new AtPosition(2)))
        .isInstanceOf(ArchiveException.class)
        .hasMessageContaining("lacks the records 1 to 2")
        .hasMessageContaining("Restore to a later moment");
  }

  @Test
  void recordsAreArchivedWhileOldEntriesAreDeleted() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      SlowDeletions slow = new SlowDeletions(place.archive, place.clock, opened);
      ArchiveWriter writer =
          opened.writer(
              ArchiveOptions.to(slow)
                  .withBaseBytes(1)
                  .withBasesMax(1)
                  .withInterval(SlowDeletions.TIME));
      write(opened, writer, "1");
      write(opened, writer, "2"); // its image lets the first one be deleted, and its chunk
      assertThat(slow.count).isGreaterThan(2);
      assertThat(writer.position()).isGreaterThanOrEqualTo(2 + slow.count - 1);
    }
  }

  /** A store that takes an interval to delete an entry, during which a record is written. */
  private static final class SlowDeletions implements ArchiveStore {
    private static final Duration TIME = Duration.ofSeconds(1);

    private final ArchiveStore store;
    private final VirtualClock clock;
    private final ArchivedJournals.Opened opened;
    private int count;

    SlowDeletions(ArchiveStore store, VirtualClock clock, ArchivedJournals.Opened opened) {
      this.store = store;
      this.clock = clock;
      this.opened = opened;
    }

    @Override
    public void delete(String name) throws IOException {
      count++;
      clock.advance(TIME);
      opened.write("during deletion " + count);
      store.delete(name);
    }

    @Override
    public boolean putIfAbsent(String name, ArchiveContent content) throws IOException {
      return store.putIfAbsent(name, content);
    }

    @Override
    public @Nullable InputStream open(String name) throws IOException {
      return store.open(name);
    }

    @Override
    public List<ArchiveEntry> list(String prefix, String after, int limit) throws IOException {
      return store.list(prefix, after, limit);
    }
  }

  @Test
  void everyMomentInsideTheRetentionStays() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer = opened.writer(eachWrite().withRetention(Duration.ofSeconds(10)));
      for (int i = 1; i <= 30; i++) {
        write(opened, writer, Integer.toString(i));
      }
      Instant oldest = Instant.ofEpochMilli(place.clock.wallMillis()).minusSeconds(10);
      assertThat(place.restored("oldest", new AtTime(oldest))).endsWith("21");
      assertThatThrownBy(() -> place.restored("older", new AtTime(oldest.minusSeconds(2))))
          .isInstanceOf(ArchiveException.class);
    }
  }

  @Test
  void noMomentLeavesTheRetentionByAClockThatIsAheadForAMoment() throws IOException {
    Duration far = Duration.ofDays(3_650);
    ArchiveOptions options = eachWrite().withRetention(Duration.ofDays(90));
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer = opened.writer(options);
      write(opened, writer, "1");
      write(opened, writer, "2");
      place.clock.setWallClock(place.clock.now().plus(far));
      write(opened, writer, "3");
      place.clock.setWallClock(place.clock.now().minus(far));
      write(opened, writer, "4");
    }
    assertThat(place.restored("two", new AtPosition(2))).endsWith("2");
    place.clock.setWallClock(place.clock.now().plus(far)); // also when the directory is opened
    try (ArchivedJournals.Opened opened = place.open("data")) {
      write(opened, opened.writer(options), "5");
    }
    assertThat(place.restored("again", new AtPosition(2))).endsWith("2");
  }

  @Test
  void imageIsMadeBeforeMomentsCanLeaveTheRetention() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer =
          opened.writer(ArchiveOptions.to(place.store).withRetention(Duration.ofHours(4)));
      for (int i = 1; i <= 24; i++) {
        write(opened, writer, Integer.toString(i));
        place.clock.advance(Duration.ofHours(1));
      }
      assertThat(place.archive.names())
          .doesNotContain("journal/0000000000000001/0000000000000001.chunk")
          .contains("journal/0000000000000001/0000000000000018.chunk");
    }
  }

  private void writeFiveAndDropFour() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("whole")) {
      for (String text : List.of("1", "2", "3", "4", "5")) {
        opened.write(text);
      }
    }
    place.dropBefore(5, "whole", "data");
  }

  @Test
  void archiveOfAJournalThatHasDroppedRecordsBeginsWithAnImage() throws IOException {
    writeFiveAndDropFour();
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer = opened.writer();
      write(opened, writer, "6");
      assertThat(writer.statistics().generation()).isEqualTo(1);
      assertThat(writer.isRestorable()).isTrue();
      write(opened, writer, "7");
      assertThat(writer.position()).isEqualTo(7);
    }
    assertThat(place.restored("latest", new Latest())).containsExactly("6", "7");
    assertThat(fileOf("latest")).isEqualTo("6");
    assertThatThrownBy(() -> place.restored("five", new AtPosition(5)))
        .hasMessageContaining("lacks the records 1 to 5");
  }

  @Test
  void archiveGoesOnWithAnImageAfterAGap() throws IOException {
    Instant lost;
    try (ArchivedJournals.Opened opened = place.open("whole")) {
      write(opened, opened.writer(), "1");
      lost = Instant.ofEpochMilli(place.clock.wallMillis());
      place.clock.advance(Duration.ofMinutes(1));
      for (String text : List.of("2", "3", "4", "5")) {
        opened.write(text);
      }
    }
    place.dropBefore(5, "whole", "data");
    place.clock.advance(Duration.ofMinutes(1));
    try (ArchivedJournals.Opened opened = place.open("data")) {
      write(opened, opened.writer(), "6");
    }
    assertThat(place.restored("latest", new Latest())).containsExactly("6");
    assertThat(place.restored("before", new AtTime(lost.minusSeconds(1)))).containsExactly("1");
    assertThatThrownBy(() -> place.restored("between", new AtTime(lost.plusSeconds(30))))
        .isInstanceOf(ArchiveException.class)
        .hasMessageContaining("lacks what was written after");
  }

  @Test
  void runtimeWithAGapDoesNotStopOneThatWasOpenedLater() throws IOException {
    writeFiveAndDropFour();
    try (ArchivedJournals.Opened opened = place.open("data")) {
      opened.hasRoom = false;
      ArchiveWriter older = opened.writer();
      older.run();
      assertThat(older.state()).isEqualTo(State.GAP);
      opened.hasRoom = true;
      ArchiveWriter newer = opened.writer();
      write(opened, newer, "6");
      place.clock.advance(Duration.ofMinutes(10)); // then the older one can make an image
      older.run();
      assertThat(older.state()).isEqualTo(State.STOPPED);
      assertThat(older.reason()).contains("Another runtime archives", "generation 1");
      write(opened, newer, "7");
      assertThat(newer.position()).isEqualTo(7);
    }
  }

  /** A paused node that has lost the shard may take a number while the owner copies its files. */
  @Test
  void ownerWithAGapIsNotStoppedByOneOfAnEarlierEpoch() throws IOException {
    writeFiveAndDropFour();
    ArchiveOptions options = ArchiveOptions.to(place.store);
    try (ArchivedJournals.Opened opened = place.open("data")) {
      opened.hasRoom = false;
      ArchiveWriter present = opened.writer(options, new ShardEpoch(7, 30));
      present.run();
      assertThat(present.state()).isEqualTo(State.GAP);
      opened.hasRoom = true;
      ArchiveWriter earlier = opened.writer(options, new ShardEpoch(7, 20));
      write(opened, earlier, "6");
      assertThat(earlier.state()).isEqualTo(State.RUNNING);
      place.clock.advance(Duration.ofMinutes(10)); // then the owner can make an image
      write(opened, present, "7");
      assertThat(present.state()).isEqualTo(State.RUNNING);
      assertThat(present.position()).isEqualTo(7);
      earlier.run();
      assertThat(earlier.state()).isEqualTo(State.STOPPED);
    }
  }

  @Test
  void archiveGoesOnWithoutAnImageThatCannotBeMade() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer = opened.writer(eachWrite());
      opened.hasRoom = false;
      write(opened, writer, "1");
      write(opened, writer, "2");
      assertThat(writer.position()).isEqualTo(2);
      assertThat(writer.statistics().basePosition()).isZero();
      opened.hasRoom = true;
      write(opened, writer, "3");
      assertThat(writer.statistics().basePosition()).isZero(); // not a copy after the other
      place.clock.advance(Duration.ofMinutes(10));
      write(opened, writer, "4");
      assertThat(writer.statistics().basePosition()).isEqualTo(4);
    }
  }

  @Test
  void unfinishedImageOfAnEarlierRuntimeIsGivenUp() throws IOException {
    place.store.refuse(".base");
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer = opened.writer(eachWrite());
      assertThatThrownBy(() -> write(opened, writer, "1")).isInstanceOf(IOException.class);
    }
    place.store.refuse("");
    try (ArchivedJournals.Opened opened = place.open("data")) {
      write(opened, opened.writer(eachWrite().withBasesMax(1)), "2");
    }
    assertThat(place.archive.names())
        .contains("bases/0000000000000001/0000000000000001.base")
        .noneMatch(name -> name.startsWith("bases/0000000000000001/0000000000000001/"));
    assertThat(place.restored("latest", new Latest())).containsExactly("2");
  }

  @Test
  void olderRuntimeCannotCompleteAnImageThatWasGivenUp() throws IOException {
    BaseFiles bases = new BaseFiles(new ArchiveFiles(place.archive));
    assertThat(bases.add(Base.givenUp(1, 7, 3))).isTrue();
    Base late = new Base(1, 7, 1, 2, 3, 4, List.of(new Base.Pack(10, 11)));
    assertThat(bases.add(late)).isFalse();
    Base read = bases.read(BaseFiles.Place.of(late));
    assertThat(read).isNotNull();
    assertThat(read.isGivenUp()).isTrue();
  }

  @Test
  void entryOfAnImageIsReadBackAndEveryFlippedBitIsNoticed() throws IOException {
    Base base = new Base(1, 7, 1, 2, 3, 4, List.of(new Base.Pack(10, 11), new Base.Pack(12, 13)));
    byte[] encoded = base.encode();
    assertThat(Base.decode(encoded, "x")).isEqualTo(base);
    for (int bit = 0; bit < encoded.length * 8; bit++) {
      byte[] flipped = encoded.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> Base.decode(flipped, "x")).isInstanceOf(IOException.class);
    }
  }

  @Test
  void largeFileGoesOnInTheNextPack() throws IOException {
    byte[] large = new byte[StagedBase.PACK_BYTES * 2 + 100];
    for (int i = 0; i < large.length; i++) {
      large[i] = (byte) (i * 31 >> 8);
    }
    try (ArchivedJournals.Opened opened = place.open("data")) {
      opened.large = large;
      write(opened, opened.writer(eachWrite()), "1");
    }
    place.restored("latest", new Latest());
    assertThat(place.directory.resolve("latest/sqlite/large")).hasBinaryContent(large);
    assertThat(fileOf("latest")).isEqualTo("1");
  }

  @Test
  void nameThatLeadsOutOfTheDirectoryIsRefused() {
    for (String name : List.of("../x", "a/../../x", "/x", "a//b", "a\\b", "..")) {
      for (boolean isShard : List.of(true, false)) {
        assertThatThrownBy(() -> Piece.of(packOf(name), "x", isShard))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("not of the data");
      }
    }
  }

  @Test
  void imageOfAShardSaysWhoseCheckpointsItHas() throws Exception {
    for (String name : List.of("saved", "bases")) {
      assertThat(Piece.of(packOf(name), "x", /* isShard= */ true)).hasSize(1);
      assertThatThrownBy(() -> Piece.of(packOf(name), "x", /* isShard= */ false))
          .isInstanceOf(IOException.class);
    }
  }

  private static byte[] packOf(String name) {
    byte[] encoded = name.getBytes(UTF_8);
    return ByteBuffer.allocate(Piece.HEADER_BYTES + encoded.length)
        .putShort((short) encoded.length)
        .put(encoded)
        .array();
  }
}
