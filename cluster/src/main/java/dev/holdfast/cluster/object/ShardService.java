package dev.holdfast.cluster.object;

import dev.holdfast.ObjectId;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.clone.codec.ValueConverter;
import dev.holdfast.cluster.shard.OwnedShard;
import dev.holdfast.cluster.value.References;
import dev.holdfast.cluster.value.RemoteInterface;
import dev.holdfast.cluster.value.RemoteMethod;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.statistics.RuntimeState;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Type;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Does the operations of shards that this node owns. Thread-safe. */
public final class ShardService {

  private final Function<String, Class<?>> types;
  private final RemoteInterface methods;
  private final @Nullable StagedFiles staged;
  private final OwnerOperations.Rules rules;

  /** A move ends the ownership, and the rest says nothing of the objects. */
  private static final Set<String> UNPROVEN =
      Set.of("transfer", "statistics", "readFile", "writeFile", "endFile");

  /**
   * Creates it for a node.
   *
   * @param references the addresses of this node
   * @param types finds the interface of a namespace, or throws
   * @param staged files that travel between this node and others; null for a client, which owns no
   *     shard
   * @param rules writes what operators have said about placement
   */
  public ShardService(
      References references,
      Function<String, Class<?>> types,
      @Nullable StagedFiles staged,
      OwnerOperations.Rules rules) {
    this.types = types;
    this.staged = staged;
    this.rules = rules;
    this.methods =
        new RemoteInterface(
            ShardOperations.TARGET,
            ShardOperations.class,
            StructuredClone.standard().withConverters(List.of(new IdConverter())),
            references);
  }

  /** {@return the operations, as they are called} */
  public RemoteInterface methods() {
    return methods;
  }

  /**
   * Does an operation. Its result leaves once it is proven that this node owned the shard until
   * then.
   *
   * @throws Throwable what the operation throws
   */
  @Nullable Object invoke(OwnedShard here, RemoteMethod method, @Nullable Object[] arguments)
      throws Throwable {
    OwnerOperations operations =
        new OwnerOperations(
            here.runtime(),
            here.journal(),
            types,
            here.mover(),
            here.members(),
            here.operations(),
            here.archive(),
            Objects.requireNonNull(staged, "A client owns no shard."),
            rules);
    String name = method.method().getName();
    try {
      return method.method().invoke(operations, arguments);
    } catch (InvocationTargetException e) {
      if (isOfClosed(e.getCause()) && isClosed(here)) {
        throw lost(e);
      }
      throw e.getCause() == null ? e : e.getCause();
    } finally {
      if (!UNPROVEN.contains(name)) {
        here.awaitProven(); // why it has failed may be old as well
      }
    }
  }

  private static boolean isOfClosed(@Nullable Throwable why) {
    return why instanceof IllegalStateException || why instanceof ArchiveException;
  }

  /** An operation may meet files that are closed already because the shard is moved. */
  private static boolean isClosed(OwnedShard here) {
    RuntimeState state = here.runtime().statistics().state();
    return state == RuntimeState.CLOSING || state == RuntimeState.CLOSED;
  }

  private static RuntimeClosedException lost(Throwable why) {
    RuntimeClosedException closed = new RuntimeClosedException();
    closed.addSuppressed(why);
    return closed;
  }

  /** Ids within pages. */
  private static final class IdConverter implements ValueConverter {

    @Override
    public boolean converts(Class<?> type) {
      return type == ObjectId.class;
    }

    @Override
    public Class<?> storedType() {
      return String.class;
    }

    @Override
    public Object toStored(Object value) {
      ObjectId id = (ObjectId) value;
      return id.name().map(name -> id + ":" + name).orElseGet(id::toString);
    }

    @Override
    public Object fromStored(Object stored, Type type) {
      String text = (String) stored;
      int colon = text.indexOf(':');
      return colon < 0
          ? ObjectId.of(HexFormat.of().parseHex(text), null)
          : ObjectId.of(
              HexFormat.of().parseHex(text.substring(0, colon)), text.substring(colon + 1));
    }
  }
}
