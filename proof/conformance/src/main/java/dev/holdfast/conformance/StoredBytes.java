package dev.holdfast.conformance;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.clone.JsUndefined;
import dev.holdfast.conformance.host.PairFile;
import dev.holdfast.conformance.host.StorageEngine;
import dev.holdfast.conformance.value.ValueText;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.UncopyableValueException;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.storage.StorageLimits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Compares storage with recorded bytes, on each engine: an object puts values, which are read from
 * its exported file; bytes are written into a file, which an object imports and reads. Used once.
 */
final class StoredBytes {

  private static final String WRITER = "writer";
  private static final String READER = "reader";

  private final Path directory;
  private final Map<String, RecordedBytes> entries = new LinkedHashMap<>();

  /**
   * Takes recordings.
   *
   * @param directory an empty directory
   * @param recordings bytes with their meaning
   */
  StoredBytes(Path directory, List<RecordedBytes> recordings) {
    this.directory = directory;
    for (RecordedBytes recorded : recordings) {
      if (ByteReplay.reasonsToSkip(recorded).isEmpty()
          && ByteReplay.isNotation(recorded)
          && fits(recorded)) {
        entries.put("%06d".formatted(entries.size()), recorded);
      }
    }
  }

  /** The object that has the values; public for its proxy. */
  public interface Shelf {

    /** {@return why the value of an entry could not be put, by key; all others are put} */
    Map<String, String> putAll();

    /** Reads each entry as a text; {@code error} if it cannot be read. */
    Map<String, String> readAll();
  }

  private final class ShelfObject implements Shelf {

    private final ObjectStorage storage;

    ShelfObject(ObjectContext context) {
      storage = context.storage();
    }

    @Override
    public Map<String, String> putAll() {
      Map<String, String> refused = new LinkedHashMap<>();
      entries.forEach(
          (key, recorded) -> {
            try {
              if (isPut(recorded)) {
                put(key, recorded);
              }
            } catch (UncopyableValueException | IllegalArgumentException e) {
              refused.put(key, e.toString());
            }
          });
      return refused;
    }

    // Null is JavaScript's null.
    @SuppressWarnings("NullAway")
    private void put(String key, RecordedBytes recorded) {
      storage.put(key, ByteReplay.value(recorded));
    }

    @Override
    public Map<String, String> readAll() {
      Map<String, String> texts = new LinkedHashMap<>();
      entries.keySet().forEach(key -> texts.put(key, read(key)));
      return texts;
    }

    private String read(String key) {
      try {
        Map<String, Object> found = storage.get(List.of(key), Object.class);
        return found.containsKey(key) ? ValueText.of(found.get(key)) : "nothing";
      } catch (UncopyableValueException e) {
        return "error";
      }
    }
  }

  /** Replays all on both engines. */
  List<Verdict> replay() {
    if (entries.isEmpty()) {
      return List.of();
    }
    try (ObjectRuntime runtime = open()) {
      List<Verdict> verdicts = new ArrayList<>();
      for (StorageEngine engine : StorageEngine.values()) {
        Map<String, String> written = written(runtime, engine);
        Map<String, String> read = read(runtime, engine);
        entries.forEach(
            (key, recorded) ->
                verdicts.add(
                    judge(
                        recorded,
                        engine,
                        written.get(key),
                        Objects.requireNonNull(read.get(key)))));
      }
      return verdicts;
    }
  }

  private ObjectRuntime open() {
    return Holdfast.open(
        directory.resolve("data"),
        objects -> {
          for (StorageEngine engine : StorageEngine.values()) {
            objects.namespace(
                engine.label(),
                Shelf.class,
                ShelfObject::new,
                NamespaceOptions.DEFAULT.withStorage(engine.storage()));
          }
        });
  }

  /** The bytes of each value that was put, in hex, by key. */
  private Map<String, String> written(ObjectRuntime runtime, StorageEngine engine) {
    ObjectNamespace<Shelf> objects = runtime.namespace(engine.label(), Shelf.class);
    Map<String, String> refused = objects.getByName(WRITER).putAll();
    Path file = directory.resolve(engine.label() + "-out.sqlite");
    runtime.recovery(engine.label(), objects.idFromName(WRITER)).exportTo(file);
    Map<String, String> written = new LinkedHashMap<>(PairFile.read(file));
    written.putAll(refused);
    return written;
  }

  private Map<String, String> read(ObjectRuntime runtime, StorageEngine engine) {
    Map<String, byte[]> pairs = new LinkedHashMap<>();
    entries.forEach((key, recorded) -> pairs.put(key, recorded.bytes()));
    Path file = directory.resolve(engine.label() + "-in.sqlite");
    PairFile.write(file, pairs);
    ObjectNamespace<Shelf> objects = runtime.namespace(engine.label(), Shelf.class);
    runtime.recovery(engine.label(), objects.idFromName(READER)).importFrom(file);
    return objects.getByName(READER).readAll();
  }

  /** Values that are too large for the storage are compared with the codec only. */
  private static boolean fits(RecordedBytes recorded) {
    return recorded.bytes().length <= StorageLimits.VALUE_BYTES_MAX;
  }

  /** Storage refuses to put undefined, as the reference does. */
  private static boolean isPut(RecordedBytes recorded) {
    return recorded.isWritten() && ByteReplay.value(recorded) != JsUndefined.UNDEFINED;
  }

  private static Verdict judge(
      RecordedBytes recorded, StorageEngine engine, @Nullable String written, String read) {
    List<Mismatch> failures = new ArrayList<>();
    ByteReplay.compare(
        "written raw, read", recorded, ByteReplay.expectedRead(recorded), read, failures);
    if (isPut(recorded)) {
      ByteReplay.compare(
          "put, read raw", recorded, recorded.hex(), String.valueOf(written), failures);
    }
    return Verdict.of(
        recorded.area(), recorded.name(), engine.label(), List.of(), failures, List.of());
  }
}
