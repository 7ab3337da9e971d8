package dev.holdfast.runtime.calls;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.testkit.InMemoryBackend;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.util.List;
import java.util.SplittableRandom;

/** A runtime with one object that keeps a list it is given: for what crosses its border. */
final class Lists implements AutoCloseable {

  private final ObjectRuntime runtime;

  interface Keeper {
    void keep(List<Object> list);

    List<Object> kept();
  }

  private static final class ListKeeper implements Keeper {
    private List<Object> list = List.of();

    @Override
    public void keep(List<Object> given) {
      list = given;
    }

    @Override
    public List<Object> kept() {
      return list;
    }
  }

  Lists() {
    InMemoryJournal journal = new InMemoryJournal();
    this.runtime =
        new EngineBuilder(
                objects -> objects.namespace("lists", Keeper.class, _ -> new ListKeeper()))
            .backend(StorageKind.SQLITE, new InMemoryBackend(journal))
            .open(journal, new VirtualClock(), new SplittableRandom(1));
  }

  Keeper stub() {
    return runtime.namespace("lists", Keeper.class).getByName("list");
  }

  @Override
  public void close() {
    runtime.close();
  }
}
