package dev.holdfast.backend.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backend.rocksdb.batch.Batch;
import dev.holdfast.backend.rocksdb.batch.Change;
import dev.holdfast.spi.catalog.CatalogChange;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A batch in parts names its first part at the position that this has in another journal. */
class MovedPairsTest {

  @Test
  void firstPartIsMovedAndOtherBatchesStay() {
    CatalogChange change = new CatalogChange(true, "n", null);
    for (CatalogChange each : new CatalogChange[] {null, change}) {
      Batch moved =
          Batch.decode(RocksDbSplit.moved(new Batch(30, each).encode(), position -> position / 3));
      assertThat(moved.firstPart()).isEqualTo(10);
      assertThat(moved.catalog()).isEqualTo(each);
    }
    ByteBuffer plain =
        new Batch(
                Batch.Form.CHANGES,
                List.of(new Change(new byte[] {5}, new byte[] {1}, null)),
                change)
            .encode();
    assertThat(RocksDbSplit.moved(plain, position -> position + 1)).isSameAs(plain);
  }
}
