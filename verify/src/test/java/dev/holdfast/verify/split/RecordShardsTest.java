package dev.holdfast.verify.split;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.disk.FileDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A position is compared with the records of a list. */
class RecordShardsTest {

  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({"1, 0, 10", "3, 0, 5000", "64, 1, 20000", "128, 1, 8192"})
  void positionIsThatOfTheLastRecordAtItOrBefore(int shards, long before, int count)
      throws Exception {
    Random random = new Random(count);
    List<Integer> owners = new ArrayList<>();
    try (RecordShards places =
        new RecordShards(new FileDisk(), directory.resolve("records"), shards, before)) {
      for (int i = 0; i < count; i++) {
        int kind = random.nextInt(20);
        int owner =
            kind == 0 ? RecordShards.ALL : kind == 1 ? RecordShards.NONE : random.nextInt(shards);
        owners.add(owner);
        assertThat(places.add(owner)).isEqualTo(owners.size());
        if (i % 97 == 0 || i == count - 1) {
          check(places, owners, random.nextInt(shards), before, 1 + random.nextInt(owners.size()));
        }
      }
      assertThat(places.lastUpTo(0, 0)).isEqualTo(before);
    }
  }

  private static void check(
      RecordShards places, List<Integer> owners, int shard, long before, int number) {
    long expected = before;
    for (int owner : owners.subList(0, number)) {
      expected += owner == shard || owner == RecordShards.ALL ? 1 : 0;
    }
    assertThat(places.lastUpTo(shard, number)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 700, 5000})
  void numberIsThatOfTheLastRecordUpToAPosition(int alone) throws Exception {
    long oldest = 77;
    Random random = new Random(alone);
    List<Long> expected = new ArrayList<>();
    try (RecordNumbers numbers =
        new RecordNumbers(new FileDisk(), directory.resolve("numbers"), oldest)) {
      assertThat(numbers.upTo(oldest + 5)).isZero();
      for (int i = 0; i < 5000; i++) {
        long last = expected.isEmpty() ? 0 : expected.getLast();
        if (i > alone && random.nextInt(9) == 0) {
          expected.add(last); // another node has written this one
        }
        expected.add(last + (i < alone ? 1 : 1 + random.nextInt(3)));
        numbers.add(oldest + expected.size() - 1, expected.getLast());
        int at = random.nextInt(expected.size());
        assertThat(numbers.upTo(oldest + at)).isEqualTo(expected.get(at));
      }
      assertThat(numbers.isPast(oldest + expected.size() - 1)).isTrue();
      assertThat(numbers.isPast(oldest + expected.size())).isFalse();
      assertThat(numbers.upTo(oldest - 1)).isZero();
      assertThat(numbers.upTo(Long.MAX_VALUE)).isEqualTo(expected.getLast());
    }
  }
}
