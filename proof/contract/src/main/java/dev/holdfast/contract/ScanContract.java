package dev.holdfast.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rules for scans: ranges of keys by their unsigned bytes. */
abstract class ScanContract extends SavepointContract {

  /**
   * In the order of UTF-8, where U+FFFF comes before characters that are surrogate pairs in Java.
   */
  private static final List<String> ORDERED_KEYS =
      List.of(
          "",
          "\0",
          "\0\0",
          "A",
          "a",
          "a\0",
          "a\0b",
          "aa",
          "b",
          "\u007F",
          "\u0080",
          "\u00FF",
          "\u0100",
          "\u07FF",
          "\u0800",
          "\uD7FF",
          "\uE000",
          "\uFFFF",
          "\uD800\uDC00",
          "\uDBFF\uDFFF");

  private final ObjectKey key = object(1);

  @Test
  void scanIsInTheOrderOfUnsignedBytes() {
    putShuffled(ORDERED_KEYS);

    assertThat(keys(ALL)).isEqualTo(ORDERED_KEYS);
    assertThat(keys(range(null, null, true, Integer.MAX_VALUE))).isEqualTo(ORDERED_KEYS.reversed());
  }

  @Test
  void everyPairOfBoundsSelectsTheKeysBetween() {
    putShuffled(ORDERED_KEYS);
    for (int from = 0; from < ORDERED_KEYS.size(); from++) {
      for (int to = 0; to < ORDERED_KEYS.size(); to++) {
        byte[] start = bytes(ORDERED_KEYS.get(from));
        byte[] end = bytes(ORDERED_KEYS.get(to));
        List<String> expected = from < to ? ORDERED_KEYS.subList(from, to) : List.of();

        assertThat(keys(range(start, end, false, 100))).isEqualTo(expected);
        assertThat(keys(range(start, end, true, 100))).isEqualTo(expected.reversed());
      }
    }
  }

  @Test
  void oneBoundIsEnough() {
    putShuffled(List.of("a", "b", "c"));

    assertThat(keys(range(bytes("b"), null, false, 9))).containsExactly("b", "c");
    assertThat(keys(range(null, bytes("b"), false, 9))).containsExactly("a");
    assertThat(keys(range(bytes("b"), null, true, 9))).containsExactly("c", "b");
    assertThat(keys(range(null, bytes("b"), true, 9))).containsExactly("a");
  }

  @Test
  void boundsNeedNotBeKeysNorText() {
    putShuffled(List.of("a", "\u00FF", "\u0100", "\uDBFF\uDFFF"));

    // U+00FF is C3 BF; the end of its prefix is C3 C0, which is not UTF-8.
    assertThat(keys(range(bytes("\u00FF"), raw(0xC3, 0xC0), false, 9))).containsExactly("\u00FF");
    assertThat(keys(range(raw(0x62), raw(0xFF), false, 9)))
        .containsExactly("\u00FF", "\u0100", "\uDBFF\uDFFF");
    assertThat(keys(range(raw(0xFF), null, false, 9))).isEmpty();
    assertThat(keys(range(null, raw(0xFF, 0xFF), true, 2)))
        .containsExactly("\uDBFF\uDFFF", "\u0100");
    assertThat(keys(range(raw(0x80), raw(0xC4), false, 9))).containsExactly("\u00FF");
  }

  @Test
  void startAfterAKeyIsThatKeyAndAZeroByte() {
    putShuffled(List.of("a", "a\0", "a\0\0", "b"));

    assertThat(keys(range(bytes("a\0"), null, false, 9))).containsExactly("a\0", "a\0\0", "b");
    assertThat(keys(range(bytes("a\0\0"), null, false, 9))).containsExactly("a\0\0", "b");
  }

  @Test
  void limitCountsInTheOrderOfTheResult() {
    putShuffled(List.of("a", "b", "c", "d"));

    assertThat(keys(range(null, null, false, 2))).containsExactly("a", "b");
    assertThat(keys(range(null, null, true, 2))).containsExactly("d", "c");
    assertThat(keys(range(bytes("b"), bytes("d"), true, 1))).containsExactly("c");
  }

  @Test
  void scanSeesTheTurnsOwnWrites() {
    putShuffled(List.of("a", "c", "e"));

    StoreTurn turn = begin(key);
    turn.put(bytes("b"), bytes("own"));
    turn.put(bytes("c"), bytes("own"));
    turn.delete(bytes("e"));

    assertThat(scan(turn, ALL)).containsExactly("a=a", "b=own", "c=own");
    assertThat(scan(turn, range(null, null, true, 2))).containsExactly("c=own", "b=own");
    turn.discard();
  }

  @Test
  void deletedKeysDoNotCountForTheLimit() {
    putShuffled(List.of("a", "b", "c", "d"));

    StoreTurn turn = begin(key);
    turn.delete(bytes("a"));
    turn.delete(bytes("b"));

    assertThat(scan(turn, range(null, null, false, 2))).containsExactly("c=c", "d=d");
    turn.discard();
  }

  @Test
  void scanAfterDeleteAllSeesOnlyLaterWrites() {
    putShuffled(List.of("a", "b"));

    StoreTurn turn = begin(key);
    turn.deleteAll();
    assertThat(scan(turn, ALL)).isEmpty();
    turn.put(bytes("b"), bytes("new"));

    assertThat(scan(turn, ALL)).containsExactly("b=new");
    turn.discard();
  }

  @Test
  void scanMayBeClosedEarlyAndTwice() {
    putShuffled(List.of("a", "b", "c"));

    StoreTurn turn = begin(key);
    StoreScan scan = turn.scan(ALL);
    assertThat(scan.next()).isTrue();
    scan.close();
    scan.close();
    turn.put(bytes("d"), bytes("4"));

    assertThat(turn.seal()).isPositive();
    assertThat(keys(ALL)).containsExactly("a", "b", "c", "d");
  }

  @Test
  void endOfAScanStaysTheEnd() {
    putShuffled(List.of("a"));

    StoreTurn turn = begin(key);
    try (StoreScan scan = turn.scan(ALL)) {
      assertThat(scan.next()).isTrue();
      assertThat(scan.next()).isFalse();
      assertThat(scan.next()).isFalse();
    }
    turn.discard();
  }

  @Test
  void scansOfOneTurnDoNotDisturbEachOther() {
    putShuffled(List.of("a", "b", "c"));

    StoreTurn turn = begin(key);
    try (StoreScan outer = turn.scan(ALL)) {
      for (String expected : List.of("a", "b", "c")) {
        assertThat(outer.next()).isTrue();
        assertThat(scan(turn, range(null, null, true, 2))).containsExactly("c=c", "b=b");
        assertThat(outer.key()).isEqualTo(bytes(expected));
        assertThat(outer.value()).isEqualTo(bytes(expected));
      }
      assertThat(outer.next()).isFalse();
    }
    turn.discard();
  }

  @Test
  void longScanReturnsEveryPairOnce() {
    List<String> expected = new ArrayList<>();
    for (int number = 0; number < 3_000; number++) {
      expected.add("key-%05d".formatted(number));
    }
    putShuffled(expected);
    release(key);

    assertThat(keys(ALL)).isEqualTo(expected);
    assertThat(keys(range(null, null, true, 1_500)))
        .isEqualTo(expected.reversed().subList(0, 1_500));
  }

  private void putShuffled(List<String> names) {
    List<String> shuffled = new ArrayList<>(names);
    Collections.shuffle(shuffled, new java.util.Random(7));
    turn(key, turn -> shuffled.forEach(name -> turn.put(bytes(name), bytes(name))));
  }

  /** Reads a range whose values repeat the keys. */
  private List<String> keys(KeyRange range) {
    return read(
        key,
        turn -> {
          List<String> names = new ArrayList<>();
          try (StoreScan scan = turn.scan(range)) {
            while (scan.next()) {
              assertThat(scan.value()).isNotNull();
              names.add(String.valueOf(text(scan.key())));
            }
          }
          return names;
        });
  }

  private static KeyRange range(
      byte @Nullable [] start, byte @Nullable [] end, boolean reverse, int limit) {
    return new KeyRange(start, end, reverse, limit);
  }

  private static byte[] raw(int... values) {
    byte[] bytes = new byte[values.length];
    for (int index = 0; index < values.length; index++) {
      bytes[index] = (byte) values[index];
    }
    return bytes;
  }
}
