package dev.holdfast.archiver;

import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archive.ArchiveStore;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A store in memory. Thread-safe. */
final class MemoryStore implements ArchiveStore {

  private final ConcurrentSkipListMap<String, byte[]> entries = new ConcurrentSkipListMap<>();

  @Override
  public boolean putIfAbsent(String name, ArchiveContent content) throws IOException {
    try (InputStream bytes = content.open()) {
      return entries.putIfAbsent(name, bytes.readAllBytes()) == null;
    }
  }

  @Override
  public @Nullable InputStream open(String name) {
    byte[] bytes = entries.get(name);
    return bytes == null ? null : new ByteArrayInputStream(bytes);
  }

  @Override
  public List<ArchiveEntry> list(String prefix, String after, int limit) {
    return entries.tailMap(after, false).entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(prefix))
        .limit(limit)
        .map(entry -> new ArchiveEntry(entry.getKey(), entry.getValue().length))
        .toList();
  }

  /** {@return the names of all entries, in order} */
  List<String> names() {
    return List.copyOf(entries.keySet());
  }

  /** Changes an entry behind the back of the archive. */
  void damage(String name, UnaryOperator<byte[]> damage) {
    entries.computeIfPresent(name, (_, bytes) -> damage.apply(bytes));
  }

  /** {@return the bytes of an entry} */
  byte[] bytes(String name) {
    return Objects.requireNonNull(entries.get(name));
  }

  @Override
  public void delete(String name) {
    entries.remove(name);
  }

  @Override
  public String toString() {
    return "memory";
  }
}
