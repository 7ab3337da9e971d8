package dev.holdfast.runtime;

import dev.holdfast.BookmarkException;
import dev.holdfast.BookmarkException.Reason;
import dev.holdfast.recovery.HistoryPage;
import dev.holdfast.recovery.HistoryUsage;
import dev.holdfast.recovery.Restoration;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.PointInTimeRecovery;
import dev.holdfast.spi.RecoveryLog;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The recovery of a runtime that has none. Stateless. */
final class NoRecovery implements PointInTimeRecovery {

  @Override
  public String bookmark(ObjectKey key, long position, boolean withNextBatch) {
    throw refusal(key);
  }

  @Override
  public long noBatchFollowed(ObjectKey key, long position) {
    return position;
  }

  @Override
  public String bookmarkAt(ObjectKey key, Instant time) {
    throw refusal(key);
  }

  @Override
  public RequestedRestore requestRestore(ObjectKey key, String bookmark) {
    throw refusal(key);
  }

  @Override
  public boolean isRestorePending(ObjectKey key) {
    return false;
  }

  @Override
  public long restore(ObjectKey key, ObjectStore store) {
    throw refusal(key);
  }

  @Override
  public long withdrawRestore(ObjectKey key) {
    throw refusal(key);
  }

  @Override
  public HistoryPage history(ObjectKey key, int limit, @Nullable String from) {
    throw refusal(key);
  }

  @Override
  public List<Restoration> restorations(ObjectKey key) {
    throw refusal(key);
  }

  @Override
  public LaterBatches laterThan(ObjectKey key, String bookmark) {
    throw refusal(key);
  }

  @Override
  public HistoryUsage usage(long bytesMax) {
    return new HistoryUsage(0, bytesMax, null);
  }

  private static BookmarkException refusal(ObjectKey key) {
    return new BookmarkException(
        key.namespace(), key.id(), Reason.RECOVERY_OFF, "This runtime keeps no history.");
  }

  // Not a view of a journal: none of these methods does anything.

  @Override
  public int viewId() {
    throw new UnsupportedOperationException("This runtime keeps no history.");
  }

  @Override
  public void recover(RecoveryLog log) {}

  @Override
  public long lowWaterMark() {
    return Long.MAX_VALUE;
  }

  @Override
  public void checkpointBefore(long position) {}
}
