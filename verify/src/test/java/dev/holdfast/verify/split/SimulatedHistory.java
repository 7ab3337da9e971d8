package dev.holdfast.verify.split;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.rocksdb.RocksDbBackend;
import dev.holdfast.journal.file.VoidRecord;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.pitr.MovedRestores;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The journals of some shards, with what is known of each object: which batch was when, up to where
 * its history was purged, and which restores were done. Confined to one thread.
 */
final class SimulatedHistory {

  private static final int ID_SPREAD = 256;

  // Batches without changes, see docs/formats/rocksdb-batch.md.
  private static final byte[] CHANGES = {1, 1, 0};
  private static final byte[] PART = {1, 4, 0};
  private static final byte[] IN_PARTS = {1, 5, 0};

  final List<Shard> shards = new ArrayList<>();
  final List<Thing> things = new ArrayList<>();
  private final Random random;
  private final boolean isPurged;
  private long millis = 1_000;

  /** The journal of a shard. */
  static final class Shard {
    final List<JournalRecord> records = new ArrayList<>();
    long oldest = 1;
    long needed = 1;

    List<JournalRecord> kept() {
      return records.subList((int) oldest - 1, records.size());
    }

    /** {@return when the first segment was begun} */
    long begunMillis() {
      return records.isEmpty() ? 0 : records.get((int) Math.max(0, oldest - 2)).wallMillis();
    }
  }

  /** A batch of an object. */
  record Written(long position, long firstPart, JournalRecord record) {}

  /** A restore that was done. */
  record Restored(long position, long millis, long epoch, long target) {}

  /** An object. */
  static final class Thing {
    final ObjectKey key;
    final Shard shard;
    final List<Written> batches = new ArrayList<>();
    final List<Restored> restores = new ArrayList<>();
    long purgedTo;

    /** When the purge was requested. */
    long purgedMillis;

    /** Where the first record is that says something about restores, or a purge. */
    long neededPosition = Long.MAX_VALUE;

    Thing(ObjectKey key, Shard shard) {
      this.key = key;
      this.shard = shard;
    }

    long lastBatch() {
      return batches.isEmpty() ? 0 : batches.getLast().position();
    }

    long epochAt(long position) {
      return restores.stream()
          .mapToLong(Restored::position)
          .filter(at -> at <= position)
          .max()
          .orElse(0);
    }
  }

  SimulatedHistory(long seed, int shardCount, int steps, boolean isPurged) {
    this.random = new Random(seed);
    this.isPurged = isPurged;
    ShardMap map = new ShardMap(shardCount);
    for (int number = 0; number < shardCount; number++) {
      shards.add(new Shard());
    }
    for (int number = 0; number < 7; number++) {
      byte[] id = new byte[ObjectId.LENGTH_BYTES];
      id[0] = (byte) random.nextInt(ID_SPREAD);
      id[ObjectId.LENGTH_BYTES - 1] = (byte) number;
      ObjectKey key = new ObjectKey("keys", ObjectId.of(id, null));
      things.add(new Thing(key, shards.get(map.shardOf(key.id()))));
    }
    for (int step = 0; step < steps; step++) {
      millis += random.nextInt(4);
      step(things.get(random.nextInt(things.size())));
    }
    for (Shard each : shards) {
      if (random.nextBoolean()) {
        drop(each);
      }
    }
  }

  long millis() {
    return millis;
  }

  boolean isWhole() {
    return shards.stream()
        .allMatch(
            each -> each.oldest == 1 && each.records.stream().noneMatch(JournalRecord::isErased));
  }

  private void step(Thing thing) {
    switch (random.nextInt(12)) {
      case 0, 1 -> writeInParts(thing);
      case 2 -> restore(thing);
      case 3 -> purge(thing);
      default -> write(thing, RecordKind.BATCH);
    }
  }

  private void write(Thing thing, RecordKind kind) {
    writeBatch(thing, kind, 0, 0, ByteBuffer.wrap(CHANGES));
  }

  private void writeBatch(
      Thing thing, RecordKind kind, int parts, long firstPart, ByteBuffer payload) {
    ChainLink link = new ChainLink(thing.lastBatch(), parts);
    JournalRecord record = append(thing, kind, RocksDbBackend.VIEW_ID, link, payload);
    thing.batches.add(new Written(record.position(), firstPart, record));
  }

  private void writeInParts(Thing thing) {
    int parts = 1 + random.nextInt(3);
    long firstPart = 0;
    for (int part = 1; part <= parts; part++) {
      ByteBuffer payload = ByteBuffer.wrap(PART);
      ChainLink link = new ChainLink(thing.lastBatch(), part);
      JournalRecord record =
          append(thing, RecordKind.UNDO_PART, RocksDbBackend.VIEW_ID, link, payload);
      firstPart = firstPart == 0 ? record.position() : firstPart;
      Thing other = things.get(random.nextInt(things.size()));
      if (other != thing) {
        write(other, RecordKind.BATCH);
      }
    }
    ByteBuffer payload = ByteBuffer.allocate(IN_PARTS.length + Long.BYTES).put(IN_PARTS);
    writeBatch(thing, RecordKind.BATCH, parts, firstPart, payload.putLong(firstPart).flip());
  }

  private void restore(Thing thing) {
    long target = thing.shard.records.isEmpty() ? 0 : random.nextInt(thing.shard.records.size());
    if (target < thing.purgedTo) {
      return;
    }
    long epoch = thing.epochAt(target);
    note(thing, bookmark(start(1, 17), epoch, target));
    write(thing, RecordKind.RESTORE);
    thing.restores.add(new Restored(thing.lastBatch(), millis, epoch, target));
  }

  /** As in a turn of the object: no batch of it comes between. */
  private void purge(Thing thing) {
    if (!isPurged || random.nextInt(3) > 0) {
      return;
    }
    List<JournalRecord> records = thing.shard.records;
    thing.purgedTo = records.size();
    thing.purgedMillis = millis;
    thing.restores.clear(); // what is known of them is erased as well
    thing.neededPosition = Long.MAX_VALUE;
    note(thing, purged(thing, /* isDone= */ false));
    millis += 2;
    for (int at = 0; at < thing.purgedTo; at++) {
      JournalRecord each = records.get(at);
      if (each.key().equals(thing.key)) {
        records.set(at, erased(each));
      }
    }
    thing.batches.removeIf(each -> each.position() <= thing.purgedTo && !isLast(thing, each));
    write(things.get(random.nextInt(things.size())), RecordKind.BATCH);
    note(thing, purged(thing, /* isDone= */ true));
  }

  /** The files know the last batch, also if no record of it is left. */
  private static boolean isLast(Thing thing, Written batch) {
    return batch.position() == thing.lastBatch();
  }

  private static JournalRecord erased(JournalRecord record) {
    return new JournalRecord(
        record.position(),
        record.wallMillis(),
        RecordKind.CHECKPOINT,
        RecordKind.VOID_VIEW,
        VoidRecord.NO_OBJECT,
        null,
        ByteBuffer.allocate(record.payload().remaining()));
  }

  /** Writes again what is known of restores and purges, and forgets the beginning. */
  private void drop(Shard shard) {
    if (shard.records.isEmpty()) {
      return;
    }
    long oldest = 1 + random.nextInt(shard.records.size());
    long needed = shard.records.size() + 1L;
    for (Thing each : things.stream().filter(thing -> thing.shard == shard).toList()) {
      if (each.neededPosition < oldest) {
        each.neededPosition = Long.MAX_VALUE;
        note(each, known(each, oldest));
        if (each.purgedTo > 0) {
          note(each, purged(each, /* isDone= */ true));
        }
      }
      needed = Math.min(needed, each.neededPosition);
    }
    shard.oldest = oldest;
    shard.needed = oldest + random.nextLong(needed - oldest + 1);
  }

  private JournalRecord append(
      Thing thing, RecordKind kind, int viewId, @Nullable ChainLink link, ByteBuffer payload) {
    List<JournalRecord> records = thing.shard.records;
    JournalRecord record =
        new JournalRecord(records.size() + 1L, millis, kind, viewId, thing.key, link, payload);
    records.add(record);
    return record;
  }

  // ---- docs/formats/recovery.md

  private void note(Thing thing, ByteBuffer payload) {
    JournalRecord record =
        append(thing, RecordKind.NOTE, MovedRestores.VIEW_ID, null, payload.flip());
    thing.neededPosition = Math.min(thing.neededPosition, record.position());
  }

  private static ByteBuffer start(int type, int bytes) {
    return ByteBuffer.allocate(2 + bytes).put((byte) 1).put((byte) type);
  }

  private static ByteBuffer bookmark(ByteBuffer payload, long epoch, long position) {
    return payload.putLong(epoch).putLong(position).put((byte) 0);
  }

  private static ByteBuffer purged(Thing thing, boolean isDone) {
    return start(5, 9).putLong(thing.purgedTo).put((byte) (isDone ? 1 : 0));
  }

  private static ByteBuffer known(Thing thing, long oldest) {
    List<Restored> done = new ArrayList<>(thing.restores);
    while (done.size() > 1 && done.get(1).position() < oldest) {
      done.removeFirst();
    }
    ByteBuffer payload = start(4, 9 + 17 + 4 + 33 * done.size()).put((byte) 0).putLong(0);
    bookmark(payload, 0, 0).putInt(done.size());
    for (Restored each : done) {
      bookmark(
          payload.putLong(each.position()).putLong(each.millis()), each.epoch(), each.target());
    }
    return payload;
  }
}
