package dev.holdfast.cluster;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.StorageKind;

/** The object of tests that search what is stored: it keeps texts. */
public interface Texts {

  /** Keeps a text. */
  void put(String key, String value);

  /** Keeps a text eight times: a batch that the log has in parts, if the text is long. */
  void putLarge(String value);

  /** Deletes a text. */
  void remove(String key);

  /** Returns a text; {@code none} if there is none. */
  String get(String key);

  /** Registers one namespace for each engine: {@code files} and {@code pairs}. */
  static void register(ObjectRegistrar objects) {
    objects.namespace("files", Texts.class, TextsObject::new);
    objects.namespace(
        "pairs",
        Texts.class,
        TextsObject::new,
        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB));
  }

  /** Keeps the texts in its storage. */
  record TextsObject(ObjectContext context) implements Texts {

    @Override
    public void put(String key, String value) {
      context.storage().put(key, value);
    }

    @Override
    public void putLarge(String value) {
      for (int i = 0; i < 8; i++) {
        context.storage().put("large" + i, value);
      }
    }

    @Override
    public void remove(String key) {
      context.storage().delete(key);
    }

    @Override
    public String get(String key) {
      return context.storage().get(key, String.class).orElse("none");
    }
  }
}
