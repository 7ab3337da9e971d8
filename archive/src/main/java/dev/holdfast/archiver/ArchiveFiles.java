package dev.holdfast.archiver;

import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.journal.JournalChunk;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entries of an archive by what they mean; {@code docs/formats/archive.md} has their names.
 * Thread-safe if the store is.
 */
final class ArchiveFiles {

  private static final String GENERATIONS = "generations/";
  private static final String CHUNKS = "journal/";
  private static final String CHUNK_SUFFIX = ".chunk";
  private static final int DIGITS = 16;
  private static final int PAGE = 1_000;

  private final ArchiveStore store;

  ArchiveFiles(ArchiveStore store) {
    this.store = store;
  }

  /** {@return the newest generation; null if there is none} */
  @Nullable Generation newest() throws IOException {
    List<ArchiveEntry> all = all(GENERATIONS);
    return all.isEmpty() ? null : read(all.getLast().name());
  }

  /** {@return all generations, oldest first} */
  List<Generation> generations() throws IOException {
    List<Generation> generations = new ArrayList<>();
    for (ArchiveEntry entry : all(GENERATIONS)) {
      generations.add(read(entry.name()));
    }
    return generations;
  }

  /** {@return a generation; null if there is no such} */
  @Nullable Generation generation(long number) throws IOException {
    String name = nameOf(number);
    byte[] content = bytes(name);
    return content == null ? null : Generation.decode(content, describe(name));
  }

  private Generation read(String name) throws IOException {
    byte[] content = bytes(name);
    if (content == null) {
      throw new IOException(describe(name) + " was deleted meanwhile");
    }
    return Generation.decode(content, describe(name));
  }

  /** {@return whether no other runtime has taken this number} */
  boolean take(Generation generation) throws IOException {
    return store.putIfAbsent(nameOf(generation.number()), ArchiveContent.of(generation.encode()));
  }

  /**
   * A chunk in the archive.
   *
   * @param generation the number of its generation
   * @param firstPosition the position of its first record
   * @param bytes its size
   */
  record Chunk(long generation, long firstPosition, long bytes) {

    String name() {
      return CHUNKS + hex(generation) + "/" + hex(firstPosition) + CHUNK_SUFFIX;
    }
  }

  /** {@return the chunks of a generation, in order} */
  List<Chunk> chunks(long generation) throws IOException {
    String prefix = CHUNKS + hex(generation) + "/";
    List<Chunk> chunks = new ArrayList<>();
    for (ArchiveEntry entry : all(prefix)) {
      String name = entry.name().substring(prefix.length());
      if (name.length() == DIGITS + CHUNK_SUFFIX.length() && name.endsWith(CHUNK_SUFFIX)) {
        long position = Long.parseUnsignedLong(name.substring(0, DIGITS), 16);
        chunks.add(new Chunk(generation, position, entry.bytes()));
      }
    }
    return chunks;
  }

  /** {@return whether a generation has chunks} */
  boolean hasChunks(long generation) throws IOException {
    return !store.list(CHUNKS + hex(generation) + "/", "", 1).isEmpty();
  }

  /** {@return whether the chunk was added; false if there is one that begins with its record} */
  boolean add(long generation, JournalChunk chunk) throws IOException {
    Chunk place = new Chunk(generation, chunk.firstPosition(), chunk.bytes().length);
    return store.putIfAbsent(place.name(), ArchiveContent.of(chunk.bytes()));
  }

  /**
   * Reads and checks a chunk.
   *
   * @throws IOException if it is missing or damaged
   */
  JournalChunk read(Chunk chunk) throws IOException {
    byte[] content = bytes(chunk.name());
    if (content == null) {
      throw new IOException(describe(chunk.name()) + " was deleted meanwhile");
    }
    try {
      return JournalChunk.of(content, Path.of(chunk.name()));
    } catch (JournalCorruptException e) {
      throw new IOException(describe(chunk.name()) + " is damaged: " + e.getMessage(), e);
    }
  }

  private byte @Nullable [] bytes(String name) throws IOException {
    try (InputStream content = store.open(name)) {
      return content == null ? null : content.readAllBytes();
    }
  }

  private List<ArchiveEntry> all(String prefix) throws IOException {
    List<ArchiveEntry> all = new ArrayList<>();
    List<ArchiveEntry> page;
    do {
      page = store.list(prefix, all.isEmpty() ? "" : all.getLast().name(), PAGE);
      all.addAll(page);
    } while (page.size() == PAGE);
    return all;
  }

  private String describe(String name) {
    return name + " in " + store;
  }

  private static String nameOf(long generation) {
    return GENERATIONS + hex(generation);
  }

  private static String hex(long number) {
    return String.format("%016x", number);
  }

  @Override
  public String toString() {
    return store.toString();
  }
}
