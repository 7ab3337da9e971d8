package dev.holdfast.crash.nodes;

import dev.holdfast.ObjectContext;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ObjectStorage;
import java.util.List;

/** Lines, each under a separate key. */
final class LinesObject implements Lines {

  private static final String COUNT = "count";

  private final ObjectStorage storage;

  LinesObject(ObjectContext context) {
    this.storage = context.storage();
  }

  @Override
  public void append(String line) {
    long count = storage.get(COUNT, Long.class).orElse(0L);
    storage.put("line-%09d".formatted(count), line);
    storage.put(COUNT, count + 1);
  }

  @Override
  public List<String> all() {
    return List.copyOf(storage.list(ListOptions.ALL.withPrefix("line-"), String.class).values());
  }
}
