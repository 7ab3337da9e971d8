package dev.holdfast.benchmarks.compare.inprocess;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.benchmarks.compare.Peer;
import dev.holdfast.benchmarks.compare.Session;
import dev.holdfast.benchmarks.compare.Workload;
import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.storage.ObjectStorage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Holdfast as an application opens it, with one of its storage engines. */
public final class HoldfastPeer implements Peer {

  private static final String NAMESPACE = "values";
  private static final String KEY = "value";

  private final StorageKind kind;
  private final ObjectRuntime runtime;
  private final ObjectNamespace<Value> values;

  /** Keeps few files open and no values: what it reads is cold. */
  private final ObjectRuntime coldRuntime;

  private final ObjectNamespace<Value> coldValues;

  private HoldfastPeer(StorageKind kind, ObjectRuntime runtime, ObjectRuntime coldRuntime) {
    this.kind = kind;
    this.runtime = runtime;
    this.values = runtime.namespace(NAMESPACE, Value.class);
    this.coldRuntime = coldRuntime;
    this.coldValues = coldRuntime.namespace(NAMESPACE, Value.class);
  }

  /** An object that keeps a value. */
  public interface Value {

    /** Replaces the value. */
    void put(String value);

    /** Returns the value; empty if there is none. */
    String get();
  }

  private static final class ValueObject implements Value {
    private final ObjectStorage storage;

    ValueObject(ObjectContext context) {
      this.storage = context.storage();
    }

    @Override
    public void put(String value) {
      storage.put(KEY, value);
    }

    @Override
    public String get() {
      return storage.get(KEY, String.class).orElse("");
    }
  }

  /** Opens a data directory. */
  public static HoldfastPeer open(StorageKind kind, Path directory) {
    // No instance is evicted in the middle of a round; cold objects are evicted by their reader.
    NamespaceOptions options =
        NamespaceOptions.DEFAULT.withStorage(kind).withIdleTimeout(Duration.ofHours(1));
    return new HoldfastPeer(
        kind,
        open(directory.resolve("warm"), options, RuntimeOptions.DEFAULT),
        open(
            directory.resolve("cold"),
            options,
            RuntimeOptions.DEFAULT
                .withOpenDatabasesMax(Workload.CALLERS)
                .withValueCacheBytesMax(0)));
  }

  private static ObjectRuntime open(Path directory, NamespaceOptions options, RuntimeOptions all) {
    return Holdfast.open(
        directory,
        objects ->
            objects.options(all).namespace(NAMESPACE, Value.class, ValueObject::new, options));
  }

  @Override
  public String name() {
    return kind.equals(StorageKind.SQLITE) ? "Holdfast, SQLite" : "Holdfast, RocksDB";
  }

  @Override
  public Place place() {
    return Place.IN_PROCESS;
  }

  @Override
  public String durability() {
    return "fdatasync of the journal before each reply; replies of one moment share it";
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.allOf(Workload.class);
  }

  @Override
  public CallerKind callers() {
    return CallerKind.VIRTUAL;
  }

  /** {@return an object, for a server in front of it} */
  public Value value(String name) {
    return values.getByName(name);
  }

  @Override
  public Session session() {
    return new Session() {
      // As a program that calls an object again keeps its stub.
      private final Map<String, Value> stubs = new HashMap<>();

      @Override
      public void put(String object, byte[] value) {
        String text = new String(value, StandardCharsets.ISO_8859_1);
        (object.startsWith("cold") ? coldValues.getByName(object) : value(object)).put(text);
      }

      @Override
      public int read(String object) {
        return stubs.computeIfAbsent(object, HoldfastPeer.this::value).get().length();
      }

      @Override
      public int readCold(String object) {
        int length = coldValues.getByName(object).get().length();
        coldRuntime.admin().evict(NAMESPACE, coldValues.idFromName(object));
        return length;
      }
    };
  }

  @Override
  public void close() {
    runtime.close();
    coldRuntime.close();
  }
}
