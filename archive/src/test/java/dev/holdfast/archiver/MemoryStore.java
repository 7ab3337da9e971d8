package dev.holdfast.archiver;

import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archive.ArchiveStore;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
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

  @Override
  public void delete(String name) {
    entries.remove(name);
  }

  @Override
  public String toString() {
    return "memory";
  }
}
