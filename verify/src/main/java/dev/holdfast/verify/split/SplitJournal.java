package dev.holdfast.verify.split;

import dev.holdfast.backend.rocksdb.RocksDbBackend;
import dev.holdfast.backend.rocksdb.RocksDbSplit;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backend.sqlite.catalog.CatalogSplit;
import dev.holdfast.backend.sqlite.file.CatalogState;
import dev.holdfast.backend.sqlite.file.Mark;
import dev.holdfast.backend.sqlite.wal.MovedBatch;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.file.CopiedGroup;
import dev.holdfast.journal.file.CopiedSegments;
import dev.holdfast.journal.file.MarkFile;
import dev.holdfast.journal.file.VoidRecord;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.pitr.MovedRestores;
import dev.holdfast.runtime.MovedConsumers;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.Disk;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Writes the journals of the shards from those of the sources. A record goes to the shard of its
 * object, with what it names by a position: a position in its source. Left out are records of
 * purged objects, which mean nothing, and what binds the catalog to the journal: each shard has
 * another catalog. Consumers are in all shards. Confined to one thread.
 */
public final class SplitJournal implements AutoCloseable {

  /** The last of two positions before the first record of a journal that is not whole. */
  private static final long BEGINNING = 2;

  /** A state that is no longer known is before the one at the beginning. */
  private static final long DROPPED = BEGINNING - 1;

  /** About how large a group is. */
  private static final int GROUP_BYTES = 128 << 10;

  private final Disk disk;
  private final List<Source> sources;
  private final ShardMap map;
  private final List<RecordNumbers> numbers = new ArrayList<>();
  private final RecordShards places;
  private final long segmentBytes;
  private final long firstPosition;
  private final List<Shard> shards = new ArrayList<>();
  private final Deque<Closeable> open = new ArrayDeque<>();
  private boolean isNeeded;

  /** The latest time of a record up to now; a time in the future does not count. */
  private long reachedMillis;

  /** The journal of a shard. */
  private final class Shard {
    private final int number;
    private final Path directory;
    private final long journalId;
    private final long begunMillis;
    private final CopiedSegments segments;
    private final CopiedGroup group = new CopiedGroup();
    private final MovedConsumers consumers;
    private boolean endsWithEvents;
    private long written;
    private long groupMillis;

    Shard(int number, Target target, long journalId, CopiedSegments segments) {
      this.consumers =
          new MovedConsumers(sources.stream().map(Source::consumers).toList(), target.sources());
      this.number = number;
      this.directory = target.directory();
      this.journalId = journalId;
      this.begunMillis = target.begunMillis();
      this.segments = segments;
    }

    /** {@return where the last record of the shard at a position or before it is; 0 for none} */
    long place(int source, long position) {
      return position == Journal.START ? Journal.START : state(source, position);
    }

    /** {@return where the state at a position is; it may be the one before all records} */
    long state(int source, long position) {
      return position < sources.get(source).oldestPosition() - 1
          ? DROPPED
          : places.lastUpTo(number, numbers.get(source).upTo(position));
    }

    /** {@return where the first record of the shard at a position or after it is} */
    long extent(int source, long position) {
      long at = numbers.get(source).upTo(position);
      return at == 0 ? state(source, position) : places.lastUpTo(number, at - 1) + 1;
    }

    void add(int source, JournalRecord record, long wallMillis) throws IOException {
      ChainLink link = record.link();
      @Nullable ChainLink moved =
          link == null ? null : new ChainLink(place(source, link.previous()), link.parts());
      ByteBuffer payload = payload(source, record);
      if (record.viewId() == Journal.EVENTS_VIEW_ID) {
        consumers.add(source, record.position(), payload, firstPosition + written);
      }
      append(wallMillis, record.kind(), record.viewId(), record.key(), moved, payload);
    }

    private ByteBuffer payload(int source, JournalRecord record) {
      ByteBuffer payload = record.payload();
      boolean isCheckpoint = record.kind() == RecordKind.CHECKPOINT;
      LongUnaryOperator moved = position -> place(source, position);
      return switch (record.viewId()) {
        case SqliteBackend.VIEW_ID ->
            isCheckpoint ? CatalogSplit.moved(payload, moved) : MovedBatch.of(payload, moved);
        case RocksDbBackend.VIEW_ID ->
            record.kind().isChained() ? RocksDbSplit.moved(payload, moved) : payload;
        case MovedRestores.VIEW_ID ->
            MovedRestores.of(
                payload, position -> state(source, position), position -> extent(source, position));
        default -> payload;
      };
    }

    void append(
        long wallMillis,
        RecordKind kind,
        int viewId,
        ObjectKey key,
        @Nullable ChainLink link,
        ByteBuffer payload)
        throws IOException {
      // Events and the batch of their turn are in one group.
      if (group.count() > 0
          && group.length() + payload.remaining() > Math.min(GROUP_BYTES, segmentBytes)
          && !endsWithEvents) {
        flush();
      }
      // A time in the future stays one: the next segment that a right clock began counts then.
      groupMillis = group.count() == 0 ? Math.max(reachedMillis, wallMillis) : groupMillis;
      group.add(wallMillis, kind, viewId, key, link, payload);
      endsWithEvents = viewId == Journal.EVENTS_VIEW_ID;
      written++;
    }

    void flush() throws IOException {
      // None says less than the first, which retention drops: a source had dropped what is before.
      boolean isFirst = segments.nextPosition() == firstPosition;
      group.writeTo(segments, isFirst ? begunMillis : Math.max(begunMillis, groupMillis));
      endsWithEvents = false;
    }

    /** Views need what follows. */
    void needFromHere() throws IOException {
      flush();
      segments.needFrom(segments.nextPosition());
    }
  }

  /**
   * A journal that is read.
   *
   * @param oldestPosition the position of its first record
   * @param lowWaterMark the first position that a view needs
   * @param consumers the places of its consumers
   */
  public record Source(long oldestPosition, long lowWaterMark, MovedConsumers.Places consumers) {}

  /**
   * The journal of a shard.
   *
   * @param directory its data directory
   * @param begunMillis since when it has all that was written, milliseconds since 1970
   * @param sources the numbers of the sources that may have objects of it
   */
  public record Target(Path directory, long begunMillis, List<Integer> sources) {}

  /**
   * Begins the journals.
   *
   * @param disk where they are written
   * @param sources those that are read
   * @param targets those that are written
   * @param isWhole whether the sources have all records that there ever were
   * @param segmentBytes the size beyond which another segment begins
   * @param work an empty directory for what is needed meanwhile
   * @param random random numbers
   * @throws IOException if a file cannot be written
   */
  public SplitJournal(
      Disk disk,
      List<Source> sources,
      List<Target> targets,
      boolean isWhole,
      long segmentBytes,
      Path work,
      LongSupplier random)
      throws IOException {
    this.disk = disk;
    this.sources = sources;
    this.map = new ShardMap(targets.size());
    this.segmentBytes = segmentBytes;
    long before = isWhole ? Journal.START : BEGINNING;
    this.firstPosition = before + 1;
    boolean isBegun = false;
    try {
      this.places = new RecordShards(disk, work.resolve("records"), targets.size(), before);
      open.add(places::close);
      for (Source each : sources) {
        Path file = work.resolve("numbers" + numbers.size());
        RecordNumbers next = new RecordNumbers(disk, file, each.oldestPosition());
        numbers.add(next);
        open.add(next::close);
      }
      begin(targets, random);
      isBegun = true;
    } finally {
      if (!isBegun) {
        close();
      }
    }
  }

  private void begin(List<Target> targets, LongSupplier random) throws IOException {
    for (Target each : targets) {
      long journalId = random.getAsLong();
      disk.ensureDirectory(each.directory());
      CopiedSegments segments =
          new CopiedSegments(
              disk,
              each.directory().resolve(FileJournal.DIRECTORY_NAME),
              journalId,
              firstPosition,
              segmentBytes,
              random);
      open.add(segments::close);
      segments.needFrom(firstPosition);
      shards.add(new Shard(shards.size(), each, journalId, segments));
    }
  }

  /**
   * {@return the id of the journal of a shard}
   *
   * @param shard its number, from 0
   */
  public long journalId(int shard) {
    return shards.get(shard).journalId;
  }

  /**
   * {@return how many records a shard has}
   *
   * @param shard its number, from 0
   */
  public long records(int shard) {
    return shards.get(shard).written;
  }

  /**
   * {@return gives where a shard has its last record at a position of a source or before it}
   *
   * @param source the number of the source, from 0
   * @param shard the number of the shard, from 0
   */
  public LongUnaryOperator places(int source, int shard) {
    return position -> shards.get(shard).place(source, position);
  }

  /**
   * Writes the next record.
   *
   * @param source the number of its source, from 0
   * @param record all that were before it in its source have been written; with the position of an
   *     earlier one if only one node had it
   * @param millis its time among all records, see {@link MergedRecords}; never goes back
   * @throws IOException if it cannot be written
   * @throws IllegalArgumentException if it cannot be read, or nothing is known of its view
   */
  public void add(int source, JournalRecord record, long millis) throws IOException {
    Source of = sources.get(source);
    if (!isNeeded && record.position() >= of.lowWaterMark()) {
      needFromHere();
    }
    int shard = shardOf(record);
    long number = places.add(shard); // first: a record may name its own position
    RecordNumbers known = numbers.get(source);
    reachedMillis = Math.max(reachedMillis, millis);
    long wallMillis = reachedMillis; // one that only one node had has no time
    if (!known.isPast(record.position())) {
      known.add(record.position(), number);
      wallMillis = record.wallMillis();
    }
    if (shard == RecordShards.ALL) {
      for (Shard each : shards) {
        each.add(source, record, wallMillis);
      }
    } else if (shard != RecordShards.NONE) {
      shards.get(shard).add(source, record, wallMillis);
    }
  }

  private void needFromHere() throws IOException {
    isNeeded = true;
    for (Shard each : shards) {
      each.needFromHere();
    }
  }

  private int shardOf(JournalRecord record) {
    if (record.viewId() == RecordKind.VOID_VIEW) {
      return RecordShards.NONE;
    }
    if (!record.key().equals(VoidRecord.NO_OBJECT)) {
      return map.shardOf(record.key().id());
    }
    boolean isCheckpoint = record.kind() == RecordKind.CHECKPOINT;
    if (isCheckpoint
        && (record.viewId() == Journal.EVENTS_VIEW_ID
            || record.viewId() == SqliteBackend.VIEW_ID)) {
      return RecordShards.NONE; // a place of a consumer, or a mark or state of the catalog
    }
    if (isGivenUp(record)) {
      return RecordShards.ALL;
    }
    throw unknown(record);
  }

  /** {@return whether it says that data of all objects was given up} */
  private static boolean isGivenUp(JournalRecord record) {
    return record.kind() == RecordKind.NOTE && record.viewId() == RocksDbBackend.VIEW_ID;
  }

  /**
   * Requires that it is known which positions a record names.
   *
   * @param record the record
   * @param isAlone whether it is of the only source
   */
  public static void requireKnown(JournalRecord record, boolean isAlone) {
    if (!isAlone && isGivenUp(record)) {
      throw new IllegalArgumentException(
          "record "
              + record.position()
              + " says that data in RocksDB was given up, of objects of this shard alone: restore"
              + " it with the same number of shards");
    }
    boolean isKnown =
        switch (record.viewId()) {
          case SqliteBackend.VIEW_ID, RocksDbBackend.VIEW_ID ->
              record.kind().isChained()
                  || record.kind() == RecordKind.CHECKPOINT
                  || record.key().equals(VoidRecord.NO_OBJECT);
          case MovedRestores.VIEW_ID -> record.kind() == RecordKind.NOTE;
          case Journal.EVENTS_VIEW_ID -> record.kind() == RecordKind.CHECKPOINT;
          case RecordKind.VOID_VIEW -> true;
          default -> false;
        };
    if (!isKnown) {
      throw unknown(record);
    }
  }

  private static IllegalArgumentException unknown(JournalRecord record) {
    return new IllegalArgumentException(
        "record "
            + record.position()
            + " is of kind "
            + record.kind()
            + " and view "
            + record.viewId()
            + ", whose positions are not known: of a storage of somebody else, or of a newer"
            + " version");
  }

  /**
   * Writes the places of all consumers, after all records.
   *
   * @throws IOException if they cannot be written
   */
  public void addConsumers() throws IOException {
    if (!isNeeded) {
      needFromHere();
    }
    for (Shard each : shards) {
      for (ByteBuffer payload :
          each.consumers.in(firstPosition - 1, firstPosition + each.written)) {
        each.append(
            reachedMillis,
            RecordKind.CHECKPOINT,
            Journal.EVENTS_VIEW_ID,
            VoidRecord.NO_OBJECT,
            null,
            payload);
      }
    }
  }

  /**
   * Writes the state of the catalog of a shard.
   *
   * @param shard the number of the shard
   * @param state the state
   * @throws IOException if it cannot be written
   */
  public void addCatalog(int shard, CatalogState state) throws IOException {
    shards
        .get(shard)
        .append(
            reachedMillis,
            RecordKind.CHECKPOINT,
            SqliteBackend.VIEW_ID,
            Mark.KEY,
            null,
            state.encode());
  }

  /**
   * Makes the journals durable.
   *
   * @throws IOException if that fails
   */
  public void finish() throws IOException {
    for (Shard each : shards) {
      if (each.group.count() == 0) {
        // So that the journal has its first position, and a group the low-water mark.
        each.append(
            reachedMillis,
            RecordKind.CHECKPOINT,
            RecordKind.VOID_VIEW,
            VoidRecord.NO_OBJECT,
            null,
            ByteBuffer.allocate(0));
      }
      each.flush();
      each.segments.finish(new MarkFile(disk, each.directory.resolve(FileJournal.MARK_FILE_NAME)));
    }
  }

  @Override
  public void close() throws IOException {
    Closeable next = open.poll();
    if (next != null) {
      try (next) {
        close(); // the others, also if this one cannot be closed
      }
    }
  }
}
