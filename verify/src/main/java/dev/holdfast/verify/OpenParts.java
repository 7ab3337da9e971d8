package dev.holdfast.verify;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is open of the sources of one shard. The next shard has the same ones or later ones, so each
 * is opened once, and few are open together. Confined to one thread.
 *
 * @param <T> what is opened
 */
final class OpenParts<T> implements AutoCloseable {

  private final Opening<T> opening;
  private final Consumer<T> closing;
  private final TreeMap<Integer, Optional<T>> open = new TreeMap<>();

  /** Opens what a source has. */
  interface Opening<T> {

    /** {@return what is opened; null if the source has nothing} */
    @Nullable T open(int source) throws IOException, SqliteException;
  }

  /**
   * A part of a shard.
   *
   * @param source the number of its source
   * @param opened what is open of the source
   */
  record Part<T>(int source, T opened) {}

  OpenParts(Opening<T> opening, Consumer<T> closing) {
    this.opening = opening;
    this.closing = closing;
  }

  /** {@return what the sources of the next shard have} */
  List<Part<T>> of(List<Integer> sources) throws IOException, SqliteException {
    close(open.headMap(sources.getFirst()));
    List<Part<T>> parts = new ArrayList<>();
    for (int source : sources) {
      Optional<T> found = open.get(source);
      if (found == null) {
        found = Optional.ofNullable(opening.open(source));
        open.put(source, found);
      }
      found.ifPresent(opened -> parts.add(new Part<>(source, opened)));
    }
    return parts;
  }

  private void close(Map<Integer, Optional<T>> ended) {
    ended.values().forEach(each -> each.ifPresent(closing));
    ended.clear();
  }

  @Override
  public void close() {
    close(open);
  }
}
