package dev.holdfast.http.firewall.object;

import dev.holdfast.http.object.Found;
import dev.holdfast.http.object.PageRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The managed rules that a zone had before rulesets, and the migration to these. Items are JSON
 * objects, as in the document that was imported. Each method is one turn. All throw {@link
 * dev.holdfast.http.object.RefusedException} where the zone does not have or allow what is asked,
 * and all but those of the migration do so once the zone has migrated.
 */
public interface PreviousRules {

  /** The lists of a package. */
  enum Part {
    /** Groups of rules. */
    GROUPS,
    /** Rules. */
    RULES;

    /** {@return the members by which items are searched and ordered} */
    public List<String> members() {
      return switch (this) {
        case GROUPS -> List.of("name", "mode", "rules_count");
        case RULES -> List.of("description", "priority", "group_id");
      };
    }
  }

  /**
   * Checks that the zone still has its previous managed rules.
   *
   * @throws dev.holdfast.http.object.RefusedException if the zone has migrated
   */
  void requirePreviousRules();

  /**
   * Checks that the migration has not begun.
   *
   * @throws dev.holdfast.http.object.RefusedException if it has
   */
  void requireNoMigration();

  /**
   * Replaces the previous managed rules, before the migration has begun.
   *
   * @param document the document, a JSON object
   * @throws dev.holdfast.http.object.RefusedException if the migration has begun, or the document
   *     is wrong
   */
  void importPreviousRules(String document);

  /** {@return how the zone stands in its migration} */
  MigrationStatus migrationStatus();

  /**
   * {@return what the entry point of the zone becomes by the migration, a JSON object}
   *
   * @throws dev.holdfast.http.object.RefusedException if the zone cannot migrate, or has migrated
   */
  String migratedEntryPoint();

  /**
   * {@return the wanted packages}
   *
   * @param wanted the wanted ones
   * @param page the page
   * @throws dev.holdfast.http.object.RefusedException if there is none, or the zone has migrated
   */
  Found<String> previousPackages(PreviousSearch wanted, PageRange page);

  /**
   * {@return a package}
   *
   * @param id its id
   * @throws dev.holdfast.http.object.RefusedException if there is none, or the zone has migrated
   */
  String previousPackage(String id);

  /**
   * Changes a package.
   *
   * @param id its id
   * @param sensitivity its sensitivity; null if it stays
   * @param actionMode its action; null if it stays
   * @return the package
   * @throws dev.holdfast.http.object.RefusedException if there is none, or the zone has migrated
   */
  String updatePreviousPackage(
      String id, @Nullable String sensitivity, @Nullable String actionMode);

  /**
   * {@return the wanted items of a package}
   *
   * @param packageId the id of the package
   * @param part the list
   * @param wanted the wanted ones
   * @param page the page
   * @throws dev.holdfast.http.object.RefusedException if there is none, or the zone has migrated
   */
  Found<String> previousItems(String packageId, Part part, PreviousSearch wanted, PageRange page);

  /**
   * {@return an item of a package}
   *
   * @param packageId the id of the package
   * @param part the list
   * @param id the id of the item
   * @throws dev.holdfast.http.object.RefusedException if there is none, or the zone has migrated
   */
  String previousItem(String packageId, Part part, String id);

  /**
   * Changes the mode of an item.
   *
   * @param packageId the id of the package
   * @param part the list
   * @param id the id of the item
   * @param mode the mode
   * @return the item
   * @throws dev.holdfast.http.object.RefusedException if there is none, or the zone has migrated
   */
  String changePreviousMode(String packageId, Part part, String id, String mode);

  /**
   * {@return the overrides for URLs}
   *
   * @param wanted their order
   * @param page the page
   * @throws dev.holdfast.http.object.RefusedException if there is none, or the zone has migrated
   */
  Found<String> previousOverrides(PreviousSearch wanted, PageRange page);

  /**
   * {@return an override}
   *
   * @param id its id
   * @throws dev.holdfast.http.object.RefusedException if there is none, or the zone has migrated
   */
  String previousOverride(String id);

  /**
   * Adds an override.
   *
   * @param override a JSON object
   * @return the override with its id
   * @throws dev.holdfast.http.object.RefusedException if there is none, or the zone has migrated
   */
  String addPreviousOverride(String override);

  /**
   * Replaces an override.
   *
   * @param id its id
   * @param override a JSON object
   * @return the override
   * @throws dev.holdfast.http.object.RefusedException if there is none, or the zone has migrated
   */
  String replacePreviousOverride(String id, String override);

  /**
   * Deletes an override.
   *
   * @param id its id
   * @throws dev.holdfast.http.object.RefusedException if there is none, or the zone has migrated
   */
  void deletePreviousOverride(String id);
}
