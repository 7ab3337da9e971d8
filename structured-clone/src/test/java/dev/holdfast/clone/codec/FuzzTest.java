package dev.holdfast.clone.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.clone.CloneFormatException;
import dev.holdfast.clone.StructuredCloneException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.DayOfWeek;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random bytes give a value or a typed error, for any type to read. A value that was read is
 * written to bytes that give the same value.
 *
 * <p>Short by default, ten million inputs with {@code holdfast.tests=long}. A failure prints the
 * input; {@code -Dsim.seed} repeats a run.
 */
final class FuzzTest {

  private static final boolean LONG = System.getProperty("holdfast.tests", "short").equals("long");
  private static final long SEED = Long.getLong("sim.seed", 20_260_101L);
  private static final int INPUT_BYTES_MAX = 400;

  private static final StructuredClone EXACT = StructuredClone.exact();

  private record Leafs(
      long a,
      @Nullable String b,
      double c,
      @Nullable Instant d,
      byte @Nullable [] e,
      DayOfWeek f) {}

  private record Nested(
      @Nullable Leafs leafs,
      List<Nested> list,
      Map<String, Leafs> map,
      Set<List<Object>> set,
      Map<List<Object>, Object> keyed,
      int[] ints,
      Object any) {}

  private static final List<Type> TYPES = types();

  private static List<Type> types() {
    List<Type> types = new ArrayList<>(List.of(Leafs.class, Nested.class, long.class));
    for (RecordComponent component : Nested.class.getRecordComponents()) {
      types.add(component.getGenericType());
    }
    return types;
  }

  /** All tags, frequent ones more often, so that random bytes form values. */
  private static final byte[] TAGS =
      "o{o{o{aA$A$A$@;:;:',',DyxnzsRBB~V^^^\\r\"\"\"\"cSIIINUZ_0TF-?.mc"
          .getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);

  private static int inputs(int share) {
    return (LONG ? 10_500_000 : 45_000) / 3 * share;
  }

  @Test
  void randomTokensGiveAValueOrATypedError() {
    SplittableRandom random = new SplittableRandom(SEED);
    int values = 0;
    for (int i = 0; i < inputs(1); i++) {
      values += check(randomTokens(random), random) ? 1 : 0;
    }
    assertThat(values).as("inputs that were values").isGreaterThan(inputs(1) / 100);
  }

  @Test
  void changedValuesGiveAValueOrATypedError() throws IOException {
    SplittableRandom random = new SplittableRandom(SEED + 1);
    List<byte[]> corpus = corpus();
    int values = 0;
    for (int i = 0; i < inputs(2); i++) {
      values += check(changed(corpus, random), random) ? 1 : 0;
    }
    assertThat(values).as("inputs that were values").isGreaterThan(inputs(2) / 10);
  }

  private static byte[] randomTokens(SplittableRandom random) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(0xFF);
    out.write(13 + random.nextInt(4));
    int count = random.nextInt(1, 40);
    for (int i = 0; i < count; i++) {
      out.write(TAGS[random.nextInt(TAGS.length)]);
      for (int k = random.nextInt(3); k > 0; k--) {
        // Small numbers are counts, lengths and references that may fit.
        out.write(random.nextInt(8) == 0 ? random.nextInt(256) : random.nextInt(6));
      }
    }
    return out.toByteArray();
  }

  private static byte[] changed(List<byte[]> corpus, SplittableRandom random) {
    byte[] bytes = corpus.get(random.nextInt(corpus.size())).clone();
    for (int k = random.nextInt(1, 5); k > 0; k--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(6)) {
        case 0 -> bytes[at] = (byte) random.nextInt(256);
        case 1 -> bytes[at] = TAGS[random.nextInt(TAGS.length)];
        case 2 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 3 -> bytes = Arrays.copyOf(bytes, at + 1);
        case 4 -> bytes = spliced(bytes, at, corpus.get(random.nextInt(corpus.size())), random);
        default -> bytes = spliced(bytes, at, bytes, random);
      }
    }
    return bytes;
  }

  /** Inserts a part of other bytes, or overwrites the same number of bytes. */
  private static byte[] spliced(byte[] bytes, int at, byte[] other, SplittableRandom random) {
    int from = random.nextInt(other.length);
    int length = Math.min(random.nextInt(1, 24), other.length - from);
    int after = random.nextBoolean() ? at : Math.min(at + length, bytes.length);
    if (bytes.length + length > INPUT_BYTES_MAX) {
      return bytes;
    }
    byte[] result = new byte[at + length + bytes.length - after];
    System.arraycopy(bytes, 0, result, 0, at);
    System.arraycopy(other, from, result, at, length);
    System.arraycopy(bytes, after, result, at + length, bytes.length - after);
    return result;
  }

  /** Reads the input in all ways. Returns whether it is a value. */
  private static boolean check(byte[] input, SplittableRandom random) {
    try {
      readAs(TYPES.get(random.nextInt(TYPES.size())), input);
      Object value;
      try {
        value = EXACT.decode(input);
      } catch (CloneFormatException e) {
        expect(e.offset() >= 0 && e.offset() <= input.length, "offset " + e.offset());
        return false;
      }
      byte[] written = EXACT.encode(value);
      expect(Arrays.equals(EXACT.encode(EXACT.decode(written)), written), "written otherwise");
      expect(Arrays.equals(EXACT.encode(EXACT.copy(value)), written), "copied otherwise");
      return true;
    } catch (Throwable e) {
      return fail("input " + HexFormat.of().formatHex(input) + ", seed " + SEED, e);
    }
  }

  private static void expect(boolean condition, String otherwise) {
    if (!condition) {
      throw new AssertionError(otherwise);
    }
  }

  private static void readAs(Type type, byte[] input) {
    try {
      EXACT.decode(input, type);
    } catch (StructuredCloneException e) {
      expect(!(e.getCause() instanceof Error), "an error for a cause");
    }
  }

  private static List<byte[]> corpus() throws IOException {
    List<byte[]> corpus = new ArrayList<>();
    for (String name : RecordedValuesTest.FILES) {
      for (JsonNode json : RecordedValuesTest.load("bytes/" + name)) {
        corpus.add(HexFormat.of().parseHex(json.get("hex").textValue()));
      }
    }
    for (JsonNode json : RecordedValuesTest.load("decode/01-decode")) {
      corpus.add(HexFormat.of().parseHex(json.get("hex").textValue()));
    }
    Leafs leafs = new Leafs(1, "b", 2.5, Instant.EPOCH, new byte[] {1}, DayOfWeek.MONDAY);
    Nested inner = new Nested(leafs, List.of(), Map.of(), Set.of(), Map.of(), new int[0], "x");
    corpus.add(EXACT.encode(leafs));
    corpus.add(
        EXACT.encode(
            new Nested(
                leafs,
                List.of(inner, inner),
                Map.of("k", leafs),
                Set.of(List.of(1L, "a")),
                Map.of(List.of(2L), List.of(List.of())),
                new int[] {1, 2},
                new Object[] {1, null})));
    corpus.removeIf(bytes -> bytes.length > INPUT_BYTES_MAX);
    return corpus;
  }
}
