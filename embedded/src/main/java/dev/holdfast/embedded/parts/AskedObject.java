package dev.holdfast.embedded.parts;

import dev.holdfast.errors.InvalidObjectIdException;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.spi.ObjectKey;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** The only object that an operator asks a directory for. Stateless. */
public final class AskedObject {

  private AskedObject() {}

  /**
   * Returns the object.
   *
   * @param namespace the name of the namespace
   * @param object the name of the object, or its id
   * @return the object; null if there can be none of this id: then the operation says why
   */
  public static @Nullable ObjectKey find(String namespace, String object) {
    try {
      return new ObjectKey(namespace, EngineBuilder.idOf(namespace, object));
    } catch (InvalidObjectIdException e) {
      System.getLogger("dev.holdfast")
          .log(Level.DEBUG, "The operation says what is wrong with the object.", e);
      return null;
    }
  }
}
