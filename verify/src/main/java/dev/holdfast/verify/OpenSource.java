package dev.holdfast.verify;

import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is open of one source at a time. A shard begins with the last source of the shard before it,
 * or with a later one, so each is opened once. Confined to one thread.
 *
 * @param <T> what is opened
 * @param <E> why it cannot be opened, beside an error of the disk
 */
final class OpenSource<T, E extends Exception> implements AutoCloseable {

  private final Opening<T, E> opening;
  private final Consumer<T> closing;
  private int number;
  private @Nullable T opened;

  /** Opens what a source has. */
  interface Opening<T, E extends Exception> {

    /** {@return what is opened} */
    T open(int source) throws IOException, E;
  }

  OpenSource(Opening<T, E> opening, Consumer<T> closing) {
    this.opening = opening;
    this.closing = closing;
  }

  /** {@return what a source has, open until another one is asked for} */
  T of(int source) throws IOException, E {
    T known = opened;
    if (known == null || number != source) {
      close();
      known = opening.open(source);
      opened = known;
      number = source;
    }
    return known;
  }

  @Override
  public void close() {
    T known = opened;
    opened = null;
    if (known != null) {
      closing.accept(known);
    }
  }
}
