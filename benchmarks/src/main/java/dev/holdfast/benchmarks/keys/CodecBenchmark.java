package dev.holdfast.benchmarks.keys;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import dev.holdfast.clone.codec.StructuredClone;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Conversion of a value to bytes and back, compared with Jackson's CBOR with readers and writers
 * created once: a record of ten components, a list of 100 texts and numbers, a text of 100 KB. Both
 * return the original Java type.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2) // one JVM may be lucky with inlining
public class CodecBenchmark {

  private static final StructuredClone CLONE = StructuredClone.standard();
  private static final int TEXT_CHARS = 100 * 1_024;

  /** The value that is written and read. */
  @Param({"record", "integers", "texts", "string"})
  public String value = "";

  private Object object = "";
  private Type type = String.class;
  private @Nullable ObjectWriter cborWriter;
  private @Nullable ObjectReader cborReader;

  /** Ten components, as an order might have them. */
  public record Order(
      long id,
      String customer,
      String street,
      String city,
      int quantity,
      double price,
      boolean paid,
      long createdMillis,
      String note,
      @Nullable String coupon) {}

  /** Creates the value. */
  @Setup
  public void prepare() {
    SplittableRandom random = new SplittableRandom(1);
    CBORMapper cbor = new CBORMapper();
    switch (value) {
      case "record" -> {
        object =
            new Order(
                4711,
                "Ada Example",
                "12 Long Lane",
                "Springfield",
                3,
                19.95,
                true,
                1_700_000_000_000L,
                "leave at the door",
                null);
        use(cbor, Order.class, cbor.readerFor(Order.class));
      }
      case "integers" -> {
        object = random.longs(100, 0, 1_000_000).boxed().toList();
        use(cbor, new ListOf(Long.class), cbor.readerFor(new TypeReference<List<Long>>() {}));
      }
      case "texts" -> {
        object = IntStream.range(0, 100).mapToObj(i -> "element " + random.nextInt()).toList();
        use(cbor, new ListOf(String.class), cbor.readerFor(new TypeReference<List<String>>() {}));
      }
      default -> {
        StringBuilder text = new StringBuilder(TEXT_CHARS);
        random.ints(TEXT_CHARS, 'a', 'z' + 1).forEach(text::appendCodePoint);
        object = text.toString();
        use(cbor, String.class, cbor.readerFor(String.class));
      }
    }
  }

  private void use(CBORMapper cbor, Type javaType, ObjectReader reader) {
    type = javaType;
    cborReader = reader;
    cborWriter = cbor.writerFor(cbor.constructType(javaType));
  }

  /** Holdfast's codec, as storage writes and reads. */
  @Benchmark
  public @Nullable Object holdfast() {
    return CLONE.decode(CLONE.encodeReadable(object), type);
  }

  /** The peer. */
  @Benchmark
  public Object jacksonCbor() throws IOException {
    byte[] bytes = Objects.requireNonNull(cborWriter).writeValueAsBytes(object);
    return Objects.requireNonNull(cborReader).readValue(bytes);
  }

  /** Holdfast's codec, encoding only. */
  @Benchmark
  public byte[] holdfastEncode() {
    return CLONE.encodeReadable(object);
  }

  /** The peer, encoding only. */
  @Benchmark
  public byte[] jacksonCborEncode() throws IOException {
    return Objects.requireNonNull(cborWriter).writeValueAsBytes(object);
  }

  private record ListOf(Class<?> element) implements ParameterizedType {

    @Override
    public Type[] getActualTypeArguments() {
      return new Type[] {element};
    }

    @Override
    public Type getRawType() {
      return List.class;
    }

    @Override
    public @Nullable Type getOwnerType() {
      return null;
    }
  }
}
