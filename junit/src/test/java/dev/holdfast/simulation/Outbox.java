package dev.holdfast.simulation;

import dev.holdfast.ObjectContext;
import dev.holdfast.codec.TypeRef;
import java.util.ArrayList;
import java.util.List;

/** Keeps what digests have sent. */
interface Outbox {

  void send(List<String> entries);

  List<String> sent();

  /** Stores it all under one key. */
  record Stored(ObjectContext context) implements Outbox {

    private static final TypeRef<List<String>> ENTRIES = new TypeRef<>() {};

    @Override
    public void send(List<String> entries) {
      List<String> all = new ArrayList<>(sent());
      all.addAll(entries);
      context.storage().put("sent", all);
    }

    @Override
    public List<String> sent() {
      return context.storage().get("sent", ENTRIES).orElse(List.of());
    }
  }
}
