package dev.holdfast.backend.rocksdb;

import dev.holdfast.faults.ForwardingJournal;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A journal whose records are durable when they have been appended, so that nothing is held back.
 */
final class DurableOnAppend extends ForwardingJournal {

  DurableOnAppend(Journal journal) {
    super(journal);
  }

  @Override
  public long append(
      RecordKind kind,
      int viewId,
      ObjectKey key,
      @Nullable ChainLink link,
      ByteBuffer payload,
      @Nullable ByteBuffer events) {
    long position = journal.append(kind, viewId, key, link, payload, events);
    // One listener is enough for a journal that syncs when it is asked to.
    journal.whenDurable(position, _ -> {});
    return position;
  }
}
