package dev.holdfast.sql;

/**
 * One step that changes the storage of an object by code: for what SQL cannot express, such as
 * values of keys that become rows. Immutable.
 *
 * <pre>{@code
 * new JavaMigration("lines of the cart", storage -> {
 *   for (Line line : storage.get("cart", StoredCart.class).orElseThrow().lines()) {
 *     storage.sql().exec("INSERT INTO line VALUES (?, ?)", line.name(), line.price());
 *   }
 *   storage.delete("cart");
 * })
 * }</pre>
 *
 * <p>A step takes effect as a whole or not at all. It must depend on nothing but the storage, and
 * change nothing else: it also runs when it is only tried (a dry run, an import), and again for an
 * object without durable data. Whether the code of a step was changed cannot be seen: an object
 * knows the steps that it has run by their names.
 *
 * <p>Foreign keys are on. To rebuild a table to which others refer, use an {@link SqlMigration}.
 *
 * @param name what the step does; errors name it, and it is compared with the steps that have run;
 *     not blank
 * @param code changes the storage; used by any number of threads at once, for different objects
 */
public record JavaMigration(String name, Code code) implements Migration {

  /**
   * Checks the name.
   *
   * @throws IllegalArgumentException if it is blank
   */
  public JavaMigration {
    if (name.isBlank()) {
      throw new IllegalArgumentException("A migration needs a name; this one is blank.");
    }
  }

  /** Changes the storage of one object. */
  @FunctionalInterface
  public interface Code {

    /**
     * Runs in a turn of the object, on the thread of that turn, before the object's own code. It
     * must not wait for other objects: such calls are refused.
     *
     * @param storage of the object; for this call only
     * @throws Exception if the object cannot be migrated: the step has no effect then
     */
    void run(MigrationStorage storage) throws Exception;
  }
}
