package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.batch.BufferedWrite;
import dev.holdfast.backend.rocksdb.batch.Keys;
import dev.holdfast.backend.rocksdb.batch.Pair;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.StoreScan;
import java.util.Comparator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A scan of a turn: the sealed pairs, overlaid with the turn's own writes. Writes made while the
 * scan is open are visible if they are ahead of it.
 *
 * <p>Owned by the thread that runs the turn.
 */
final class TurnScan implements StoreScan {

  private final RocksDbTurn turn;
  private final KeyRange range;
  private final Comparator<byte[]> order;
  private final SealedScan sealed;

  private @Nullable Pair nextSealed;
  private boolean sealedRead;
  private @Nullable Pair current;
  private byte @Nullable [] lastKey;

  /** The last write of the turn that the scan has passed. Sealed pairs before it were hidden. */
  private byte @Nullable [] lastOwnKey;

  private int returned;
  private boolean ended;

  TurnScan(RocksDbTurn turn, KeyRange range) {
    this.turn = turn;
    this.range = range;
    this.order = range.reverse() ? Keys.ORDER.reversed() : Keys.ORDER;
    this.sealed = turn.scanSealed(range);
    this.ended = Keys.isEmpty(range.startInclusive(), range.endExclusive());
  }

  @Override
  public boolean next() {
    if (ended || returned == range.limit()) {
      current = null;
      ended = true;
      return false;
    }
    turn.requireOpen();
    Pair pair = nextPair();
    current = pair;
    if (pair == null) {
      ended = true;
      return false;
    }
    returned++;
    return true;
  }

  private @Nullable Pair nextPair() {
    while (true) {
      Pair fromSealed = peekSealed();
      Map.Entry<byte[], BufferedWrite> own = turn.ownAfter(lastKey, range);
      if (own == null
          || (fromSealed != null && order.compare(own.getKey(), fromSealed.key()) > 0)) {
        takeSealed();
        if (fromSealed != null) {
          lastKey = fromSealed.key();
        }
        return fromSealed;
      }
      lastKey = own.getKey();
      lastOwnKey = lastKey;
      byte[] value = own.getValue().value();
      if (value != null) {
        return new Pair(own.getKey(), value);
      }
    }
  }

  /** {@return the first sealed pair after the last own key; null if there is none} */
  private @Nullable Pair peekSealed() {
    if (turn.isCleared()) {
      return null;
    }
    while (true) {
      if (!sealedRead) {
        nextSealed = sealed.next();
        sealedRead = true;
      }
      Pair pair = nextSealed;
      byte[] last = lastOwnKey;
      if (pair == null || last == null || order.compare(pair.key(), last) > 0) {
        return pair;
      }
      sealedRead = false; // overwritten or deleted by the turn
    }
  }

  private void takeSealed() {
    sealedRead = false;
  }

  @Override
  public byte[] key() {
    return requireCurrent().key();
  }

  @Override
  public byte[] value() {
    return requireCurrent().value();
  }

  @Override
  public void close() {
    ended = true;
    current = null;
  }

  private Pair requireCurrent() {
    Pair pair = current;
    if (pair == null) {
      throw new IllegalStateException("The scan stands on no pair; call next() first.");
    }
    return pair;
  }
}
