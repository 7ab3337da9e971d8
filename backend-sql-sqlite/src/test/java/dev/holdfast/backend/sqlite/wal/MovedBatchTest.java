package dev.holdfast.backend.sqlite.wal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.catalog.CatalogChange;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** A batch in parts names its first part at the position that this has in another journal. */
class MovedBatchTest {

  private static ByteBuffer batch(boolean hasName, long firstPart) {
    BatchWriter batch = new BatchWriter();
    batch.begin(4096, 1, 2);
    byte[] change = new CatalogChange(true, hasName ? "name" : null, null).encode();
    return batch.finishLast(change, firstPart);
  }

  @Test
  void firstPartIsMovedAndOtherBatchesStay() {
    for (boolean hasName : new boolean[] {false, true}) {
      ByteBuffer moved = MovedBatch.of(batch(hasName, 30), position -> position / 3);
      assertThat(moved).isEqualTo(batch(hasName, 10));
      ByteBuffer plain = batch(hasName, 0);
      assertThat(MovedBatch.of(plain, position -> position + 1)).isSameAs(plain);
    }
  }
}
