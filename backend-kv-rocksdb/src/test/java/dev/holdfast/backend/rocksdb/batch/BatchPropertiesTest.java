package dev.holdfast.backend.rocksdb.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backend.rocksdb.batch.Batch.Form;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

final class BatchPropertiesTest {

  @Property(tries = 300)
  void whatIsWrittenIsReadBack(@ForAll("batches") Batch batch) {
    ByteBuffer payload = batch.encode();

    Batch read = Batch.decode(payload.asReadOnlyBuffer());

    assertThat(read.form()).isEqualTo(batch.form());
    assertThat(read.firstPart()).isEqualTo(batch.firstPart());
    assertThat(read.changes()).usingRecursiveComparison().isEqualTo(batch.changes());
    assertThat(payload.remaining()).as("the payload is not consumed").isPositive();
  }

  @Property(tries = 2_000)
  void arbitraryBytesAreReadOrRefused(@ForAll @Size(max = 60) byte[] bytes) {
    requireReadOrRefused(bytes);
  }

  @Property(tries = 1_000)
  void batchWithADamagedByteIsReadOrRefused(
      @ForAll("batches") Batch batch, @ForAll int at, @ForAll byte value) {
    byte[] bytes = batch.encode().array();
    bytes[Math.floorMod(at, bytes.length)] = value;

    requireReadOrRefused(bytes);
  }

  /** Anything but these two would be a defect: no other exception, no endless loop. */
  private static void requireReadOrRefused(byte[] bytes) {
    try {
      assertThat(Batch.decode(ByteBuffer.wrap(bytes)).encode().array()).isNotEmpty();
    } catch (IllegalArgumentException refused) {
      assertThat(refused).hasMessageMatching("(?s).+");
    }
  }

  @Provide
  Arbitrary<Batch> batches() {
    Arbitrary<byte[]> keys = Arbitraries.bytes().array(byte[].class).ofMaxSize(6);
    Arbitrary<byte[]> values = Arbitraries.bytes().array(byte[].class).ofMaxSize(300);
    Arbitrary<Map<byte[], byte[]>> redo = Arbitraries.maps(keys, values).ofMaxSize(20);
    Arbitrary<Map<byte[], byte[]>> undo = Arbitraries.maps(keys, values).ofMaxSize(20);
    return Combinators.combine(Arbitraries.of(Form.class), redo, undo)
        .as(BatchPropertiesTest::batchOf);
  }

  private static Batch batchOf(Form form, Map<byte[], byte[]> redo, Map<byte[], byte[]> undo) {
    if (form == Form.IN_PARTS) {
      return new Batch(1 + redo.size(), null);
    }
    TreeMap<byte[], byte[]> after = new TreeMap<>(Keys.ORDER);
    TreeMap<byte[], byte[]> before = new TreeMap<>(Keys.ORDER);
    if (form != Form.UNDO_PART) {
      after.putAll(redo);
    }
    if (form != Form.CLEAR) {
      before.putAll(undo);
    }
    TreeMap<byte[], byte[]> keys = new TreeMap<>(Keys.ORDER);
    keys.putAll(after);
    keys.putAll(before);
    List<Change> changes = new ArrayList<>();
    keys.keySet().forEach(key -> changes.add(new Change(key, after.get(key), before.get(key))));
    return new Batch(form, changes);
  }
}
