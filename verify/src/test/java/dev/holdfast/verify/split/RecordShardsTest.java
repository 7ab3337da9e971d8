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

/** A position is compared with the records of a list. */
class RecordShardsTest {

  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({"1, 1, 0, 10", "3, 1, 0, 5000", "64, 77, 1, 20000", "128, 4096, 1, 8192"})
  void positionIsThatOfTheLastRecordAtItOrBefore(int shards, long oldest, long before, int count)
      throws Exception {
    Random random = new Random(count);
    List<Integer> numbers = new ArrayList<>();
    try (RecordShards places =
        new RecordShards(new FileDisk(), directory.resolve("records"), shards, oldest, before)) {
      assertThat(places.lastUpTo(0, oldest + 5)).isEqualTo(before);
      for (int i = 0; i < count; i++) {
        int kind = random.nextInt(20);
        int number =
            kind == 0 ? RecordShards.ALL : kind == 1 ? RecordShards.NONE : random.nextInt(shards);
        numbers.add(number);
        places.add(number);
        if (i % 97 == 0 || i == count - 1) {
          check(places, numbers, random.nextInt(shards), oldest, before, random);
        }
      }
      assertThat(places.lastUpTo(0, 0)).isZero();
      assertThat(places.lastUpTo(0, oldest - 1)).isEqualTo(oldest == 1 ? 0 : before);
      assertThat(places.firstFrom(0, oldest - 1)).isEqualTo(oldest == 1 ? 0 : before);
      assertThat(places.firstFrom(0, oldest)).isEqualTo(before + 1);
    }
  }

  private static void check(
      RecordShards places,
      List<Integer> numbers,
      int shard,
      long oldest,
      long before,
      Random random) {
    int ordinal = random.nextInt(numbers.size());
    long expected = before;
    for (int i = 0; i <= ordinal; i++) {
      expected += isOf(shard, numbers.get(i)) ? 1 : 0;
    }
    long position = oldest + ordinal;
    boolean has = isOf(shard, numbers.get(ordinal));
    assertThat(places.lastUpTo(shard, position)).isEqualTo(expected);
    assertThat(places.has(shard, position)).isEqualTo(has);
    assertThat(places.firstFrom(shard, position)).isEqualTo(has ? expected : expected + 1);
    long end = oldest + numbers.size();
    assertThat(places.firstFrom(shard, end)).isEqualTo(places.lastUpTo(shard, end) + 1);
  }

  private static boolean isOf(int shard, int number) {
    return number == shard || number == RecordShards.ALL;
  }
}
