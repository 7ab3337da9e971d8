package dev.holdfast.crash;

import dev.holdfast.ObjectContext;
import dev.holdfast.StorageKind;
import dev.holdfast.storage.ObjectStorage;

/** A mirror: counts its notes twice, with a key-value pair and with rows. */
final class MirrorObject implements Mirror {

  static final String NAMESPACE = "mirrors";
  static final int MIRROR_COUNT = 4;

  private static final String COUNT = "count";

  private final ObjectStorage storage;
  private final Notes notes;

  MirrorObject(ObjectContext context, StorageKind kind) {
    storage = context.storage();
    notes = Notes.of(storage, kind);
    notes.prepare();
  }

  static String nameFor(int cell) {
    return String.valueOf(cell % MIRROR_COUNT);
  }

  @Override
  public void record(int cell, long seq) {
    long number = count() + 1;
    storage.put(COUNT, number);
    notes.add(new Note(cell, seq), number);
  }

  @Override
  public Dump dump() {
    return new Dump(count(), notes.lastNumber(), notes.all());
  }

  private long count() {
    return storage.get(COUNT, Long.class).orElse(0L);
  }
}
