package dev.holdfast.backend.rocksdb.database;

import dev.holdfast.backend.rocksdb.batch.CatalogKeys;
import dev.holdfast.backend.rocksdb.batch.Change;
import dev.holdfast.backend.rocksdb.batch.Keys;
import dev.holdfast.backend.rocksdb.batch.ObjectPrefix;
import dev.holdfast.backend.rocksdb.batch.Pair;
import dev.holdfast.backend.rocksdb.batch.SealedBatch;
import dev.holdfast.backend.rocksdb.file.DatabaseFigures;
import dev.holdfast.backend.rocksdb.file.Manifest;
import dev.holdfast.backend.rocksdb.file.NativeHandles;
import dev.holdfast.backend.rocksdb.file.RocksDbBounds;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.catalog.SharedNames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.StampedLock;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Checkpoint;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.CompactRangeOptions.BottommostLevelCompaction;
import org.rocksdb.FlushOptions;
import org.rocksdb.Holder;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.ReadOptions;
import org.rocksdb.ReadTier;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Statistics;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * The open database: reads of pairs, writes of whole batches, flush.
 *
 * <p>No native object outlives a call, and every call holds a lease, so {@link #close} waits for
 * calls in progress, and later calls get an exception: using a closed database would crash the
 * process.
 *
 * <p>Thread-safe for reads. Writes come from one thread at a time: the {@code Applier} ensures
 * this.
 */
public final class Database implements AutoCloseable {

  /** The native objects that {@link DatabaseFiles} has opened. */
  record Native(
      RocksDB rocks,
      ColumnFamilyHandle pairs,
      ColumnFamilyHandle meta,
      ColumnFamilyHandle catalog,
      WriteOptions unlogged,
      Statistics counters,
      NativeHandles handles) {}

  /**
   * The state of the database when it is opened.
   *
   * @param appliedPosition the position up to which it has every batch
   * @param namespaces their numbers
   * @param journalId the id of the journal whose batches it has; {@link #NO_JOURNAL} if it has none
   * @param beginPosition where its history begins: no earlier batch of an object is known; {@link
   *     Journal#START}, or the position of the record that gave up the data of objects
   * @param isNew whether it was just created
   */
  public record Found(
      Path directory,
      long appliedPosition,
      Map<String, Integer> namespaces,
      long journalId,
      long beginPosition,
      boolean isNew) {

    public static final long NO_JOURNAL = 0;
  }

  /**
   * A part of a scan. Keys have the prefix of the object.
   *
   * @param startInclusive the smallest key
   * @param endExclusive the first key after the range
   * @param reverse whether the largest key comes first
   * @param pairsMax the number of pairs after which to stop
   * @param bytesMax the number of bytes after which to stop
   */
  @SuppressWarnings("ArrayRecordComponent") // made for one call
  public record ScanPart(
      byte[] startInclusive, byte[] endExclusive, boolean reverse, int pairsMax, int bytesMax) {}

  /**
   * Keys of the catalog.
   *
   * @param startInclusive the smallest key
   * @param endExclusive the first key after the range
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record CatalogRange(byte[] startInclusive, byte[] endExclusive) {

    boolean endsBehind(byte[] key) {
      return Keys.ORDER.compare(key, endExclusive) < 0;
    }
  }

  /** How a part of a scan ended. */
  public enum End {
    /** There are no more pairs. */
    OF_RANGE,
    /** There may be more pairs. */
    OF_PART,
    /** The next pair is not in memory. */
    OF_MEMORY
  }

  /** Pairs in order, with the object's own keys. */
  public record Scanned(List<Pair> pairs, End end) {}

  /**
   * The result of a lookup in memory.
   *
   * @param known false if only the disk has the answer
   * @param value if known: the value, or null if there is none
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record FromMemory(boolean known, byte @Nullable [] value) {}

  private static final byte[] FIRST_KEY = {};

  /** The first byte of a key is at most 7F. */
  private static final byte[] AFTER_ALL_KEYS = {(byte) 0x80};

  private static final FromMemory ABSENT = new FromMemory(true, null);
  private static final FromMemory UNKNOWN = new FromMemory(false, null);

  private final SharedNames sharedNames = new SharedNames();
  private final Native open;
  private final Path directory;
  private final Found found;
  private final StampedLock lease = new StampedLock();
  private final ReadOptions fromDisk = new ReadOptions();
  private final ReadOptions fromMemory = new ReadOptions().setReadTier(ReadTier.BLOCK_CACHE_TIER);

  private final Map<String, Integer> namespaces;
  private final AtomicInteger lastNamespace;

  /** Namespaces whose number is in the database. Owned by the thread that writes. */
  private final Set<String> writtenNamespaces;

  /** The id of the journal that is in the database. Owned by the thread that writes. */
  private long writtenJournalId;

  /** What an object without a last batch has as its last one: no batch of any object. */
  private volatile long beginPosition;

  private boolean closed; // guarded by lease

  /** What RocksDB last reported about itself; stays when the database is closed. */
  private volatile DatabaseFigures figures = DatabaseFigures.NONE;

  Database(Native open, Found found) {
    this.open = open;
    this.directory = found.directory();
    this.found = found;
    this.writtenJournalId = found.journalId();
    this.beginPosition = found.beginPosition();
    this.namespaces = new ConcurrentHashMap<>(found.namespaces());
    this.writtenNamespaces = new HashSet<>(found.namespaces().keySet());
    this.lastNamespace =
        new AtomicInteger(
            found.namespaces().values().stream().mapToInt(Integer::intValue).max().orElse(0));
  }

  public Path directory() {
    return directory;
  }

  /** {@return the state of the database when it was opened} */
  public Found found() {
    return found;
  }

  /** {@return the prefix of the keys of an object} */
  public ObjectPrefix prefixOf(ObjectKey key) {
    return new ObjectPrefix(numberOf(key.namespace()), key);
  }

  /** {@return the names of all namespaces} */
  public Set<String> namespaces() {
    return Set.copyOf(namespaces.keySet());
  }

  /** {@return how many bytes the keys and values of objects have; reads all of them} */
  public long[] bytesOf(List<ObjectPrefix> prefixes) throws RocksDBException {
    long[] bytes = new long[prefixes.size()];
    long stamp = lease();
    try (ReadOptions options = new ReadOptions().setFillCache(false);
        RocksIterator pairs = open.rocks.newIterator(open.pairs, options)) {
      for (int each = 0; each < bytes.length; each++) {
        byte[] end = prefixes.get(each).end();
        for (pairs.seek(prefixes.get(each).start()); pairs.isValid(); pairs.next()) {
          byte[] key = pairs.key();
          if (Keys.ORDER.compare(key, end) >= 0) {
            break;
          }
          bytes[each] += key.length - ObjectPrefix.LENGTH_BYTES + pairs.value().length;
        }
        pairs.status();
      }
      return bytes;
    } finally {
      lease.unlockRead(stamp);
    }
  }

  public int numberOf(String namespace) {
    return namespaces.computeIfAbsent(namespace, _ -> lastNamespace.incrementAndGet());
  }

  /** {@return the value of a key, or null; may read from the disk} */
  public byte @Nullable [] get(byte[] key) throws RocksDBException {
    long stamp = lease();
    try {
      return open.rocks.get(open.pairs, fromDisk, key);
    } finally {
      lease.unlockRead(stamp);
    }
  }

  /** {@return the objects that have got a name which others had} */
  public SharedNames sharedNames() {
    return sharedNames;
  }

  private byte @Nullable [] catalogValue(byte[] key) throws RocksDBException {
    return open.rocks.get(open.catalog, fromDisk, key);
  }

  /** {@return the value of a key of the catalog, or null; may read from the disk} */
  public byte @Nullable [] getFromCatalog(byte[] key) throws RocksDBException {
    long stamp = lease();
    try {
      return catalogValue(key);
    } finally {
      lease.unlockRead(stamp);
    }
  }

  /**
   * {@return the position of the last batch of an object that the database has; {@link
   * Journal#START} if it has none; may read from the disk}
   */
  public long lastBatchOf(ObjectPrefix prefix) throws RocksDBException {
    byte[] position = getFromCatalog(CatalogKeys.lastBatch(prefix));
    return position == null ? beginPosition : ByteBuffer.wrap(position).getLong();
  }

  /** Removes the data of all objects, which is given up: no batch up to a position is known. */
  public void beginAt(long position) {
    long stamp = lease();
    try (WriteBatch writes = new WriteBatch()) {
      writes.deleteRange(open.pairs, FIRST_KEY, AFTER_ALL_KEYS);
      writes.deleteRange(open.catalog, FIRST_KEY, AFTER_ALL_KEYS);
      writes.put(open.meta, DatabaseFiles.BEGIN_KEY, bytesOf(position));
      open.rocks.write(open.unlogged, writes);
    } catch (RocksDBException e) {
      throw new DataDirectoryException(
          directory, "The RocksDB database cannot be written: " + e.getMessage(), e);
    } finally {
      lease.unlockRead(stamp);
    }
    beginPosition = position;
  }

  private static byte[] bytesOf(long position) {
    return ByteBuffer.allocate(Long.BYTES).putLong(position).array();
  }

  /**
   * Passes keys of the catalog, in order, to a visitor until it returns false. All keys are of one
   * moment: concurrent writes are not visible in later ranges either.
   *
   * @param ranges the ranges to read, in ascending order
   * @param visitor takes the key and the value; returns false to end the walk
   */
  public void walkCatalog(List<CatalogRange> ranges, BiPredicate<byte[], byte[]> visitor)
      throws RocksDBException {
    long stamp = lease();
    try (Slice end = new Slice(ranges.getLast().endExclusive());
        ReadOptions bounded = new ReadOptions().setIterateUpperBound(end);
        RocksIterator iterator = open.rocks.newIterator(open.catalog, bounded)) {
      boolean wantsMore = true;
      for (CatalogRange range : ranges) {
        iterator.seek(range.startInclusive());
        while (wantsMore && iterator.isValid() && range.endsBehind(iterator.key())) {
          wantsMore = visitor.test(iterator.key(), iterator.value());
          iterator.next();
        }
        iterator.status(); // of each range: the next seek forgets an error
      }
    } finally {
      lease.unlockRead(stamp);
    }
  }

  /** {@return the value of a key, if memory has it} */
  public FromMemory getFromMemory(byte[] key) {
    Holder<byte[]> value = new Holder<>();
    long stamp = lease();
    try {
      // Unlike a get with this tier, it does not throw when the answer is on the disk.
      if (!open.rocks.keyMayExist(open.pairs, fromMemory, key, value)) {
        return ABSENT;
      }
    } finally {
      lease.unlockRead(stamp);
    }
    byte[] found = value.getValue();
    // If the index of a table is not in memory, RocksDB reports that the value is known and empty.
    return found == null || found.length == 0 ? UNKNOWN : new FromMemory(true, found);
  }

  /** {@return the pairs of a part of a scan; may read from the disk} */
  public Scanned scan(ScanPart part) throws RocksDBException {
    return scan(part, ReadTier.READ_ALL_TIER);
  }

  /** {@return the pairs of a part of a scan, as far as they are in memory} */
  public Scanned scanMemory(ScanPart part) throws RocksDBException {
    return scan(part, ReadTier.BLOCK_CACHE_TIER);
  }

  private Scanned scan(ScanPart part, ReadTier tier) throws RocksDBException {
    List<Pair> pairs = new ArrayList<>(Math.min(part.pairsMax(), RocksDbBounds.LIST_CAPACITY_MAX));
    long stamp = lease();
    try (Slice start = new Slice(part.startInclusive());
        Slice end = new Slice(part.endExclusive());
        ReadOptions bounded =
            new ReadOptions()
                .setReadTier(tier)
                .setIterateLowerBound(start)
                .setIterateUpperBound(end);
        RocksIterator iterator = open.rocks.newIterator(open.pairs, bounded)) {
      return new Scanned(pairs, walk(iterator, part, pairs));
    } finally {
      lease.unlockRead(stamp);
    }
  }

  private static End walk(RocksIterator iterator, ScanPart part, List<Pair> pairs)
      throws RocksDBException {
    PairCopier copier = new PairCopier();
    long bytes = 0;
    if (part.reverse()) {
      iterator.seekToLast();
    } else {
      iterator.seekToFirst();
    }
    while (iterator.isValid()) {
      Pair pair = copier.copy(iterator);
      pairs.add(pair);
      bytes += pair.bytes();
      if (pairs.size() >= part.pairsMax() || bytes >= part.bytesMax()) {
        return End.OF_PART;
      }
      if (part.reverse()) {
        iterator.prev();
      } else {
        iterator.next();
      }
    }
    try {
      iterator.status();
      return End.OF_RANGE;
    } catch (RocksDBException e) {
      if (DatabaseFiles.codeOf(e) == Status.Code.Incomplete) {
        return End.OF_MEMORY;
      }
      throw e;
    }
  }

  /**
   * Writes batches, and the position up to which the database then has every batch, atomically.
   *
   * @param journalId the id of the journal that has them durably
   */
  public void write(List<SealedBatch> batches, long position, long journalId)
      throws RocksDBException {
    Map<ObjectKey, SealedBatch> last = new HashMap<>();
    for (SealedBatch batch : batches) {
      last.put(batch.key(), batch);
    }
    write(batches, last.values(), position, journalId);
  }

  /** Writes a part of a batch that is not written yet, as {@link #write}. */
  public void writePart(SealedBatch part, long position, long journalId) throws RocksDBException {
    write(List.of(part), List.of(), position, journalId);
  }

  private void write(
      List<SealedBatch> batches, Collection<SealedBatch> last, long position, long journalId)
      throws RocksDBException {
    Set<String> newNamespaces = new HashSet<>();
    long stamp = lease();
    try (WriteBatch writes = new WriteBatch()) {
      CatalogWriter catalog = new CatalogWriter(writes, open.catalog, this::catalogValue);
      for (SealedBatch batch : batches) {
        String namespace = batch.key().namespace();
        if (!writtenNamespaces.contains(namespace) && newNamespaces.add(namespace)) {
          writes.put(
              open.meta,
              DatabaseFiles.namespaceKey(namespace),
              ByteBuffer.allocate(Integer.BYTES).putInt(numberOf(namespace)).array());
        }
        add(batch, writes);
        if (batch.catalog() != null) {
          catalog.add(batch.key(), batch.prefix(), batch.catalog());
        }
      }
      catalog.finish();
      for (SealedBatch each : last) {
        writes.put(open.catalog, CatalogKeys.lastBatch(each.prefix()), bytesOf(each.position()));
      }
      writes.put(
          open.meta,
          DatabaseFiles.APPLIED_KEY,
          ByteBuffer.allocate(Long.BYTES).putLong(position).array());
      if (journalId != writtenJournalId) {
        writes.put(
            open.meta,
            DatabaseFiles.JOURNAL_KEY,
            ByteBuffer.allocate(Long.BYTES).putLong(journalId).array());
      }
      open.rocks.write(open.unlogged, writes);
      catalog.shared().forEach(sharedNames::add);
    } finally {
      lease.unlockRead(stamp);
    }
    writtenJournalId = journalId;
    writtenNamespaces.addAll(newNamespaces);
  }

  /** Ingests a file of pairs, atomically and durably; the file is removed. Blocks. */
  public void ingest(Path file) throws RocksDBException {
    // The file is durable at once. What says whose pairs these are must be, too: a crash would
    // leave a database without a format, or give the number of the namespace to another one.
    flush();
    long stamp = lease();
    try (IngestExternalFileOptions options = new IngestExternalFileOptions()) {
      open.rocks.ingestExternalFile(
          open.pairs, List.of(file.toString()), options.setMoveFiles(true));
    } finally {
      lease.unlockRead(stamp);
    }
  }

  private void add(SealedBatch batch, WriteBatch writes) throws RocksDBException {
    ObjectPrefix prefix = batch.prefix();
    if (batch.clears()) {
      writes.deleteRange(open.pairs, prefix.start(), prefix.end());
    }
    for (Change change : batch.changes()) {
      byte[] redo = change.redo();
      if (redo == null) {
        writes.delete(open.pairs, prefix.with(change.key()));
      } else {
        writes.put(open.pairs, prefix.with(change.key()), redo);
      }
    }
  }

  /** Makes everything written so far durable in the database's files. Blocks. */
  public void flush() throws RocksDBException {
    long stamp = lease();
    try (FlushOptions options = new FlushOptions().setWaitForFlush(true).setAllowWriteStall(true)) {
      open.rocks.flush(options, List.of(open.pairs, open.meta, open.catalog));
    } finally {
      lease.unlockRead(stamp);
    }
  }

  /**
   * Removes what the files have of deleted and replaced pairs, names and alarms of an object. The
   * tables that may have them are written again; of the catalog these are all of the namespace,
   * because a name that was deleted is not known any more. Then the MANIFEST is, which has the
   * first and the last key of each table that there was. Blocks.
   */
  public void eraseRemains(ObjectPrefix prefix, int namespace)
      throws IOException, RocksDBException {
    flush();
    long stamp = lease();
    try (CompactRangeOptions options =
        new CompactRangeOptions().setBottommostLevelCompaction(BottommostLevelCompaction.kForce)) {
      open.rocks.compactRange(open.pairs, prefix.start(), prefix.end(), options);
      for (byte[] start : CatalogKeys.prefixesWith(prefix, namespace)) {
        open.rocks.compactRange(open.catalog, start, Keys.endOfPrefix(start), options);
      }
      rollManifest();
    } finally {
      lease.unlockRead(stamp);
    }
  }

  /**
   * RocksDB begins another MANIFEST with the first change after it has {@link
   * RocksDbBounds#MANIFEST_BYTES_MAX}, and has no call for that. Each flush is a change.
   */
  private void rollManifest() throws IOException, RocksDBException {
    Path before = Manifest.of(directory);
    for (int flushed = 0; Objects.equals(Manifest.of(directory), before); flushed++) {
      if (flushed == RocksDbBounds.MANIFEST_FLUSHES_MAX) {
        throw new IOException("RocksDB keeps its " + before + " in use");
      }
      open.rocks.put(
          open.meta, open.unlogged, DatabaseFiles.FORMAT_KEY, DatabaseFiles.formatValue());
      flush();
    }
    // Deletes the old one now: the flush leaves it to a thread in the background.
    open.rocks.disableFileDeletions();
    open.rocks.enableFileDeletions();
  }

  /** Links the tables, and copies the rest, into a directory that does not exist. Blocks. */
  public void checkpoint(Path target) throws RocksDBException {
    long stamp = lease();
    try (Checkpoint checkpoint = Checkpoint.create(open.rocks)) {
      checkpoint.createCheckpoint(target.toString());
    } finally {
      lease.unlockRead(stamp);
    }
  }

  /** {@return a property that RocksDB reports for its column family of pairs} */
  public long figure(String property) throws RocksDBException {
    long stamp = lease();
    try {
      return open.rocks.getLongProperty(open.pairs, property);
    } finally {
      lease.unlockRead(stamp);
    }
  }

  /** {@return a property that RocksDB reports, summed over all column families} */
  public long figureOfAll(String property) throws RocksDBException {
    long stamp = lease();
    try {
      return open.rocks.getAggregatedLongProperty(property);
    } finally {
      lease.unlockRead(stamp);
    }
  }

  /** {@return what RocksDB reports about itself; after the close, what it reported last} */
  public DatabaseFigures figures() {
    long stamp = lease.tryReadLock(); // fails only while the database is being closed
    if (stamp != 0) {
      try {
        readFigures();
      } finally {
        lease.unlockRead(stamp);
      }
    }
    return figures;
  }

  private void readFigures() {
    if (closed) {
      return;
    }
    try {
      figures = DatabaseFigures.of(open.rocks, open.counters);
    } catch (RocksDBException e) {
      throw new IllegalStateException("RocksDB does not know its own figures", e);
    }
  }

  private long lease() {
    long stamp = lease.readLock();
    if (closed) {
      lease.unlockRead(stamp);
      throw new IllegalStateException("The RocksDB database in " + directory + " is closed.");
    }
    return stamp;
  }

  /** Waits for calls in progress and closes the database. Makes nothing durable. */
  @Override
  public void close() {
    long stamp = lease.writeLock();
    try {
      if (!closed) {
        readFigures();
        closed = true;
        open.handles.close();
        fromDisk.close();
        fromMemory.close();
      }
    } finally {
      lease.unlockWrite(stamp);
    }
  }
}
