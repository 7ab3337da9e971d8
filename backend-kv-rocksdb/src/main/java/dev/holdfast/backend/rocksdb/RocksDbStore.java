package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.batch.Batch;
import dev.holdfast.backend.rocksdb.batch.ObjectPrefix;
import dev.holdfast.backend.rocksdb.batch.Pair;
import dev.holdfast.backend.rocksdb.batch.SealedBatch;
import dev.holdfast.backend.rocksdb.batch.SealedBatches;
import dev.holdfast.backend.rocksdb.batch.UnappliedWrites;
import dev.holdfast.backend.rocksdb.database.Database;
import dev.holdfast.errors.CommitRefusedException;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.PastImage;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.catalog.CatalogChange;
import dev.holdfast.spi.catalog.Listing;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * The sealed data of one object: in the database, or pending.
 *
 * <p>Keeps no data, only where to find it. Used by one thread at a time, as {@link ObjectStore}
 * requires.
 */
final class RocksDbStore implements ObjectStore {

  private final RocksDbBackend backend;
  private final ObjectKey key;
  private final ObjectPrefix prefix;
  private final Listing listing = new Listing();

  /** The sealed alarms; null until they are read. Owned by the thread that runs the turn. */
  private @Nullable List<AlarmRecord> alarms;

  /** The last batch; null until it is read. Owned by the thread that runs the turn. */
  private @Nullable Long lastBatch;

  RocksDbStore(RocksDbBackend backend, ObjectKey key) {
    this.backend = backend;
    this.key = key;
    this.prefix = backend.database().prefixOf(key);
  }

  @Override
  public StoreTurn beginTurn() {
    requireKnown();
    return new RocksDbTurn(this);
  }

  @Override
  public long restore(LaterBatches later) {
    requireKnown();
    try (PastValues past = new PastValues(backend.roomForPast())) {
      undo(later, past);
      return new Seal(this, new ReadValues(), null, null).restore(past.values(), past.catalog());
    }
  }

  @Override
  public PastImage image(LaterBatches later) {
    requireKnown();
    PastValues past = new PastValues(backend.roomForPast());
    boolean made = false;
    try {
      SealedScan present = scanAll();
      for (Pair pair = present.next(); pair != null; pair = present.next()) {
        past.values().put(pair.key(), pair.value());
      }
      undo(later, past);
      PairsImage image = image(past);
      made = true;
      return image;
    } finally {
      if (!made) {
        past.close();
      }
    }
  }

  /** Reads only the keys that were changed since. */
  @Override
  public PastImage.Pair images(LaterBatches first, LaterBatches second) {
    requireKnown();
    PastValues one = new PastValues(backend.roomForPast());
    PastValues other = new PastValues(backend.roomForPast());
    boolean made = false;
    try {
      undo(first, one);
      undo(second, other);
      addPresent(one, other);
      addPresent(other, one);
      PastImage.Pair images = new PastImage.Pair(image(one), image(other));
      made = true;
      return images;
    } finally {
      if (!made) {
        try (one) {
          other.close();
        }
      }
    }
  }

  /** Adds the values of now for the keys that only the others have. */
  private void addPresent(PastValues values, PastValues others) {
    others
        .values()
        .forEach(
            (name, _) -> {
              if (!values.values().contains(name)) {
                values.values().put(name, get(name));
              }
              return true;
            });
  }

  private PairsImage image(PastValues past) {
    return new PairsImage(past.values(), past.catalog().alarmsThen(alarms()));
  }

  @Override
  public long become(PastImage image) {
    requireKnown();
    PairsImage pairs = (PairsImage) image;
    RocksDbTurn turn = new RocksDbTurn(this);
    if (scanAll().next() != null || !turn.alarms().isEmpty()) {
      turn.discard();
      throw new IllegalStateException(
          "Object "
              + key
              + " has data already; nothing was changed. Choose another name, or delete that object"
              + " first.");
    }
    if (pairs.pairs().isSpilled()) {
      turn.discard();
      return becomeLarge(pairs);
    }
    pairs
        .pairs()
        .forEach(
            (name, value) -> {
              if (value != null) {
                turn.put(name, value);
              }
              return true;
            });
    turn.setAlarms(pairs.alarms());
    return turn.seal();
  }

  private long becomeLarge(PairsImage image) {
    List<AlarmRecord> made = image.alarms();
    CatalogChange.Alarms changed =
        made.isEmpty() ? null : new CatalogChange.Alarms(made, List.of());
    return new LargeBatch(this, image.pairs())
        .append(
            backend.keepsUndo(key.namespace()) ? RecordKind.BATCH : RecordKind.BATCH_WITHOUT_UNDO,
            listing.change(key, changed, /* gone= */ false));
  }

  private void requireKnown() {
    if (backend.sealed().isInDoubt(key)) {
      throw new StorageFailedException(
          key.namespace(),
          key.id(),
          "The object cannot be used: an error ended its last turn when the journal may have had"
              + " it; close the runtime and open it again, which reads the object from the journal",
          null);
    }
  }

  private void undo(LaterBatches later, PastValues past) {
    later.newestFirst(
        lastBatch(),
        record -> {
          try {
            past.undo(Batch.decode(record.payload()));
          } catch (IllegalArgumentException e) {
            throw new StorageFailedException(
                key.namespace(),
                key.id(),
                "Record " + record.position() + " cannot be undone: " + e.getMessage(),
                e);
          }
        });
  }

  @Override
  public void eraseRemains() {
    awaitApplied();
    this.<@Nullable Void>read(
        () -> {
          Database database = backend.database();
          database.eraseRemains(prefix, database.numberOf(key.namespace()));
          return null;
        });
  }

  /** Does nothing: the sealed data belongs to the backend. */
  @Override
  public void release() {}

  ObjectKey key() {
    return key;
  }

  ObjectPrefix prefix() {
    return prefix;
  }

  RocksDbBackend backend() {
    return backend;
  }

  Listing listing() {
    return listing;
  }

  /** {@return the sealed alarms} */
  List<AlarmRecord> alarms() {
    List<AlarmRecord> known = alarms;
    if (known == null) {
      UnappliedWrites pending = backend.backlog().of(key);
      known = pending == null ? null : pending.alarms();
      if (known == null) {
        known = read(() -> backend.ownCatalog().stateOf(prefix).alarms());
      }
      alarms = known;
    }
    return known;
  }

  /** {@return the link of the next batch, or of a part of it} */
  ChainLink link(int parts) {
    long previous = lastBatch();
    return parts == 0 ? ChainLink.after(previous) : new ChainLink(previous, parts);
  }

  private long lastBatch() {
    Long known = lastBatch;
    if (known == null) {
      UnappliedWrites pending = backend.backlog().of(key);
      long found =
          pending == null
              ? read(() -> backend.database().lastBatchOf(prefix))
              : pending.lastBatch();
      known = found;
      lastBatch = known;
    }
    return known;
  }

  /** Records that a batch was appended. */
  void sealed(CatalogChange change) {
    listing.sealed(change);
    if (change.alarms() != null) {
      alarms = change.alarms().after();
    }
  }

  /** {@return whether the directory has the object} */
  boolean isListed() {
    UnappliedWrites pending = backend.backlog().of(key);
    Boolean exists = pending == null ? null : pending.exists();
    return exists != null ? exists : read(() -> backend.ownCatalog().stateOf(prefix).exists());
  }

  /** {@return the sealed value of a key, or null} */
  byte @Nullable [] get(byte[] name) {
    // First the pending writes, then the database: a batch is in one of them at any time.
    UnappliedWrites pending = backend.backlog().of(key);
    UnappliedWrites.Write write = pending == null ? null : pending.find(name);
    return write == null ? getFromDatabase(prefix.with(name)) : write.value();
  }

  /**
   * {@return a task that reads the sealed value of a key into the block cache; null if memory has
   * it}
   */
  @Nullable Runnable prefetch(byte[] name) {
    byte[] databaseKey = prefix.with(name);
    UnappliedWrites pending = backend.backlog().of(key);
    if ((pending != null && pending.find(name) != null)
        || backend.database().getFromMemory(databaseKey).known()) {
      return null;
    }
    return () -> read(() -> backend.database().get(databaseKey));
  }

  private byte @Nullable [] getFromDatabase(byte[] databaseKey) {
    Database database = backend.database();
    if (Thread.currentThread().isVirtual()) {
      Database.FromMemory found = database.getFromMemory(databaseKey);
      if (found.known()) {
        return found.value();
      }
    }
    return read(() -> database.get(databaseKey));
  }

  /** {@return all sealed pairs; the caller may stop after a few} */
  SealedScan scanAll() {
    return new SealedScan(this, null, null, /* reverse= */ false, SealedScan.FEW_PAIRS);
  }

  /** {@return the sealed pairs of a range; about as many are read as its limit} */
  SealedScan scan(KeyRange range) {
    return new SealedScan(
        this, range.startInclusive(), range.endExclusive(), range.reverse(), range.limit());
  }

  /**
   * Reads from the database, on a storage thread if the caller is virtual.
   *
   * @throws StorageFailedException if the read fails
   */
  <T extends @Nullable Object> T read(Callable<T> work) {
    try {
      return backend.host().threads().run(work);
    } catch (RuntimeException e) {
      throw e;
    } catch (RocksDBException e) {
      throw failed("cannot be read: " + e.getMessage(), e);
    } catch (Exception e) {
      throw failed("cannot be read", e);
    }
  }

  /** Returns when the database has every durable batch. */
  void awaitApplied() {
    try {
      backend.applier().awaitDurableApplied();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw failed("cannot be brought up to date", e);
    }
  }

  /** Makes a batch visible to the readers of the object once the journal has it. */
  void publish(Batch made, long position, SealedBatches.Append append) {
    SealedBatch batch =
        new SealedBatch(
            position,
            key,
            prefix,
            made.form() == Batch.Form.CLEAR,
            made.changes(),
            made.catalog(),
            made.firstPart());
    lastBatch = position;
    // Pending before it is sealed: the applier removes it from both in the opposite order.
    backend.backlog().add(batch);
    backend.sealed().sealed(append, batch);
    CatalogChange change = made.catalog();
    if (change != null) {
      sealed(change);
      backend.ownCatalog().sealed(key, change);
    }
  }

  CommitRefusedException tooLarge(int bytesMax) {
    return new CommitRefusedException(
        key.namespace(),
        key.id(),
        "One turn changed more than fits into a batch of "
            + (bytesMax >> 20)
            + " MiB; write less in one turn. Nothing of it is kept",
        null);
  }

  StorageFailedException failed(String what, Exception cause) {
    return new StorageFailedException(
        key.namespace(),
        key.id(),
        "The RocksDB database in " + backend.database().directory() + " " + what,
        cause);
  }
}
