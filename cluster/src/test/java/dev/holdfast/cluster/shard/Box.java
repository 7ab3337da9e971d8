package dev.holdfast.cluster.shard;

import dev.holdfast.ObjectContext;
import java.util.TreeMap;

/** Keeps pairs. */
public interface Box {

  /** Stores a text. */
  void put(String key, String text);

  /** Returns all pairs. */
  TreeMap<String, String> all();

  /** Keeps them in its storage. */
  record OnStorage(ObjectContext context) implements Box {

    @Override
    public void put(String key, String text) {
      context.storage().put(key, text);
    }

    @Override
    public TreeMap<String, String> all() {
      return new TreeMap<>(context.storage().list(String.class));
    }
  }
}
