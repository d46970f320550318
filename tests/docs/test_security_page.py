"""Each row and sentence of docs/security.md is shown by tests, which are named here."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")

# How a row ("input: risk"), sentence or item begins, and the tests that show it: file::function, where the
# file is tests/*/test_FILE.py. Only an item of what is not guarded may have none: it states no behaviour of
# mlsieve.
SHOWN_BY: dict[str, tuple[str, ...]] = {
    # What is guarded: rows
    "XML label files: entities": ("labels::test_bad_label_files",),
    "array files (`.npz`): code": (
        "budgets::test_arrays_are_numbers_and_texts_in_one_form_beside_each_other",
        "security::test_no_code_comes_from_data_or_configuration",
    ),
    "array files: sizes, indices and values": (
        "budgets::test_arrays_are_numbers_and_texts_in_one_form_beside_each_other",
        "fuzz::test_a_wrong_value_in_a_file_of_ours_is_one_line",
        "fuzz::test_commands_take_or_refuse_our_own_files_with_other_values",
        "fuzz::test_what_once_broke_a_reader_does_not_break_it_again",
        "cli_wrong_input::test_a_score_that_is_no_finite_number_is_refused_with_its_line",
    ),
    "models (`--model`)": (
        "fuzz::test_models_with_other_values_are_followed_or_refused",
        "rdt_files::test_no_change_of_a_file_leads_a_kernel_astray",
        "rows_without_labels::test_a_file_holds_classifiers_of_scikit_learn_alone",
    ),
    "models, `load` in Python": ("rows_without_labels::test_a_file_holds_classifiers_of_scikit_learn_alone",),
    "array files: megabytes that unpack": (
        "budgets::test_an_array_file_is_checked_before_anything_of_it_is_unpacked",
        "budgets::test_arrays_may_unpack_to_the_memory_of_the_control_group_at_most",
        "budgets::test_arrays_that_shrink_to_a_thousandth_are_read",
        "faults::test_a_bomb_is_told_before_it_is_unpacked",
        "budgets::test_a_header_has_16_mib_or_ten_times_the_file",
    ),
    "packed files": (
        "budgets::test_a_packed_file_takes_no_more_than_its_budget",
        "budgets::test_the_cells_of_a_packed_file_fit_the_memory",
        "budgets::test_packed_files_of_several_streams_are_read",
        "budgets::test_decoders_may_take_256_mib",
        "fuzz::test_a_packed_file_may_shrink_to_a_thousandth_and_no_further",
        "budgets::test_a_packed_file_may_become_a_thousand_times_as_large",
    ),
    "YAML: Python objects": (
        "security::test_yaml_makes_no_objects",
        "security::test_yaml_reads_plain_values_and_references",
        "security::test_yaml_that_is_too_much",
    ),
    "YAML: keys": (
        "security::test_yaml_that_is_ambiguous_is_refused_with_its_line_and_key",
        "security::test_yaml_has_texts_as_keys_and_no_sets",
        "security::test_yaml_takes_no_colon_for_the_base_60_and_19_digits_for_a_number",
        "security::test_keys_whose_hashes_collide_take_no_time",
        "security::test_an_encoding_with_nul_is_unknown",
    ),
    "study files, also with `--snakemake": (
        "security::test_a_study_that_is_not_usable_is_refused_before_it_runs",
        "security::test_neither_does_snakemake_get_it",
        "security::test_snakemake_gets_no_template_as_configuration",
    ),
    "a project's folder: a profile": (
        "received_folders::test_no_profile_of_the_working_folder_is_taken",
        "received_folders::test_a_study_is_finished_without_code_of_the_working_folder",
    ),
    "study files: plugins": (
        "received_folders::test_a_plugin_of_a_study_runs_once_its_user_trusts_it",
        "received_folders::test_plain_snakemake_asks_for_trust_as_well",
        "received_folders::test_what_no_plugin_can_mend_is_reported_before_any_is_trusted",
    ),
    "a project's folder: a file `matplotlibrc`": (
        "plots_looks::test_a_figure_takes_no_setting_from_the_working_folder",
    ),
    "a project's folder: the configuration of a git": ("received_folders::test_a_repository_runs_nothing",),
    "a project's folder: modules": (
        "received_folders::test_no_module_of_the_working_folder_is_run",
        "received_folders::test_a_study_is_finished_without_code_of_the_working_folder",
    ),
    "a project's folder, results, a cache: links": (
        "received_folders::test_nothing_is_written_through_a_link",
        "received_folders::test_no_run_waits_for_a_pipe",
        "received_folders::test_links_within_a_study_s_folder_are_followed",
        "damaged_files::test_a_study_s_file_is_never_written_through_a_link",
        "damaged_files::test_a_damaged_record_counts_as_damage",
    ),
    "a project's folder, results, a cache: a mark": (
        "received_folders::test_a_mark_protects_nobody_but_a_study",
        "damaged_files::test_a_user_s_own_file_is_never_removed",
        "cli_outputs::test_a_foreign_file_stays_without_force",
        "cli_outputs::test_a_file_of_mlsieve_is_replaced",
        "cli_outputs::test_a_file_that_resembles_one_of_mlsieve_stays",
    ),
    "results, a cache: results": (
        "damaged_files::test_files_exchanged_with_their_records_are_removed_by_their_reader",
        "collecting_rankings::test_a_table_of_scores_has_the_rows_of_its_job_each_once",
    ),
    "your own files, a cache": (
        "reruns::test_the_content_of_a_file_counts_and_none_of_its_times",
        "reruns::test_projects_that_share_a_cache_share_what_is_made_of_the_same",
        "reruns::test_a_file_that_changes_during_a_run_is_refused",
    ),
    "study files: thousands of entries": (
        "configuration::test_a_long_list_of_mappings_is_checked_in_linear_time",
        "configuration::test_the_first_errors_of_very_many_are_listed",
    ),
    "study files: names that are longer": (
        "security::test_a_study_that_is_not_usable_is_refused_before_it_runs",
        "security::test_names_of_studies_methods_and_datasets_have_200_characters",
        "catalog::test_a_name_that_no_file_system_has_is_refused",
        "catalog::test_the_longest_names_are_looked_for",
    ),
    "Excel and LibreOffice files": (
        "budgets::test_a_workbook_is_measured_before_a_library_reads_it",
        "budgets::test_a_workbook_with_room_around_its_table_is_read",
        "budgets::test_a_table_has_so_much_for_each_byte_of_its_file",
    ),
    "ARFF, CSV, edge lists": ("fuzz::test_a_large_file_takes_no_more_than_its_due",),
    "Excel files: one text": (
        "budgets::test_a_text_to_which_many_cells_of_a_workbook_refer_is_counted_for_each",
        "budgets::test_a_table_has_so_much_for_each_byte_of_its_file",
    ),
    "Parquet and Feather files: a few bytes": (
        "budgets::test_a_typed_table_is_measured_by_its_metadata",
        "budgets::test_a_typed_table_within_its_budget_is_read",
        "budgets::test_a_table_has_so_much_for_each_byte_of_its_file",
    ),
    "Parquet files: texts": (
        "budgets::test_a_typed_table_is_measured_by_its_metadata",
        "budgets::test_a_parquet_file_has_the_limit_of_packed_files",
        "budgets::test_a_packed_file_may_become_a_thousand_times_as_large",
    ),
    "svmlight and XMLC files": (
        "tables_of_people::test_features_and_labels_are_numbered_up_to_three_million",
        "budgets::test_columns_without_values_cost_little_time",
        "budgets::test_columns_without_values_cost_a_few_bytes",
    ),
    "MATLAB files": (
        "matlab_files::test_what_is_refused",
        "matlab_files::test_the_fields_of_a_struct_are_variables",
        "matlab_files::test_lists_of_names_are_those_of_features_and_labels",
        "matlab_files::test_lists_that_do_not_fit_are_no_names",
    ),
    "R files": (
        "files_from_elsewhere::test_more_texts_of_r_than_can_be_read_are_refused_at_once",
        "budgets::test_a_sequence_of_r_is_as_long_as_it_may_be",
        "budgets::test_a_frame_of_r_has_columns",
    ),
    "hierarchies": (
        "hierarchy::test_paths_have_200_parts_and_hierarchies_20_million_pairs_at_most",
        "fuzz::test_a_large_file_takes_no_more_than_its_due",
    ),
    "a catalog": (
        "security::test_a_files_name_stays_in_its_folder",
        "catalog::test_a_name_that_no_file_system_has_is_refused",
        "downloads::test_a_link_does_not_lead_out_of_the_cache",
    ),
    "downloads: a different file": (
        "acquire::test_a_checksum_mismatch_is_an_error_not_a_skip",
        "acquire::test_a_wrong_download_is_not_kept",
        "catalog::test_public_entries_are_checked_and_told",
        "catalog::test_bad_files",
    ),
    "downloads: redirects": (
        "downloads::test_no_other_source_than_the_web",
        "downloads::test_redirects_lead_to_the_web_only",
        "downloads::test_five_redirects_are_followed_and_no_more",
        "downloads::test_a_body_without_end_is_cut",
        "downloads::test_a_download_may_have_a_gibibyte_and_a_quarter_of_an_hour",
        "downloads::test_a_server_that_trickles_is_given_up",
        "downloads::test_a_tls_handshake_that_does_not_end_is_given_up",
        "downloads::test_time_that_is_over_is_no_end_of_a_file",
    ),
    "study files: names of files, columns": (
        "hostile_names::test_files_names_are_no_commands",
        "security::test_what_a_study_says_of_a_data_set_is_words_of_its_command",
        "security::test_an_id_is_a_word",
        "security::test_names_in_a_configuration_are_words",
    ),
    "text files: an encoding": (
        "cli_wrong_input::test_only_encodings_of_files_are_taken",
        "cli_wrong_input::test_encodings_of_files_are_read",
    ),
    "all of them: control characters": (
        "security::test_a_terminal_shows_names_that_move_no_cursor",
        "security::test_a_pipe_gets_data_as_they_are_and_words_without_control_characters",
        "security::test_lines_about_files_and_datasets_are_one_line_each",
        "security::test_the_line_of_progress_moves_no_cursor_but_its_own",
        "security::test_a_message_is_one_line_that_moves_no_cursor",
        "received_folders::test_notes_of_jobs_move_no_cursor",
    ),
    "study files: control characters": ("security::test_a_study_s_paths_hold_no_control_characters",),
    "names in tables in Markdown or LaTeX": (
        "cli_outputs::test_names_show_as_themselves_in_markdown",
        "cli_outputs::test_a_name_like_a_citation_is_none",
        "cli_outputs::test_a_table_in_markdown_is_read_again_with_its_names",
        "paper_texts::test_marks_of_latex_are_escaped",
        "paper_texts::test_the_beginning_of_a_row_is_no_argument",
    ),
    "names in figures": ("single_figures::test_names_of_any_letters_are_drawn",),
    "names in workbooks": ("cli_outputs::test_names_are_text_in_csv_and_xlsx",),
    # What is guarded: sentences
    "mlsieve never extracts": (
        "security::test_no_code_comes_from_data_or_configuration",
        "acquire::test_mirror",
        "acquire::test_download_into_the_cache",
    ),
    "In the project's folder": ("hostile_names::test_files_names_are_no_commands",),
    "Downloads are kept": ("acquire::test_download_into_the_cache",),
    "A command that reaches": (
        "budgets::test_an_array_file_is_checked_before_anything_of_it_is_unpacked",
        "budgets::test_a_packed_file_takes_no_more_than_its_budget",
        "budgets::test_a_workbook_is_measured_before_a_library_reads_it",
        "budgets::test_a_sequence_of_r_is_as_long_as_it_may_be",
    ),
    "If a dataset of a study cannot be read": ("study::test_a_failing_job_stops_no_other_and_is_retried",),
    # Failed downloads
    "Each source is tried": ("acquire::test_unavailable", "acquire::test_retries_and_further_sources"),
    "After an interrupted": ("downloads::test_a_download_that_is_cut_goes_on_where_it_was",),
    "Otherwise the whole file": (
        "downloads::test_a_rest_that_does_not_fit_is_fetched_from_the_beginning",
        "downloads::test_without_a_tag_nothing_is_joined",
    ),
    "Pauses between": ("downloads::test_back_off_doubles_and_a_server_may_ask_for_more",),
    "If a server asks": (
        "downloads::test_back_off_doubles_and_a_server_may_ask_for_more",
        "downloads::test_a_server_that_asks_for_an_hour_is_not_waited_for",
        "downloads::test_what_retry_after_tells",
    ),
    "If a source provides": ("downloads::test_another_source_serves_where_the_first_has_another_file",),
    "The checksum of the whole": ("downloads::test_a_joined_file_of_two_files_is_noticed",),
    "Where a file is a part": ("public_sources::test_a_part_with_a_wrong_checksum_is_refused",),
    "A failed download": (
        "downloads::test_a_silent_server_is_given_up",
        "downloads::test_a_body_without_end_is_cut",
        "acquire::test_a_truncated_download_names_its_source",
    ),
    "If a mirror becomes": (
        "downloads::test_a_mirror_that_vanishes_is_made_up_for_by_a_source",
        "downloads::test_a_mirror_that_vanishes_is_made_up_for_by_the_cache",
    ),
    "Without these": ("downloads::test_a_mirror_that_vanishes_alone_is_one_line",),
    "The next run tries": (
        "recovery::test_a_set_that_could_not_be_had_is_looked_for_again_as_soon_as_it_may_be",
        "study::test_a_failing_job_stops_no_other_and_is_retried",
    ),
    "Proxies": ("downloads::test_proxies_are_those_of_the_environment",),
    "Certificates": ("downloads::test_a_certificate_that_nobody_has_signed_is_refused",),
    # What is not guarded: items
    "Study files determine": ("schedule::test_a_plan_tells_jobs_hours_memory_disk_and_time",),
    "Plain `snakemake` reads": (),
    "The `Snakefile`": (),
    "A plugin that you trust": (),
    "Parquet, Feather, Excel": (),
    "A classifier of one's own": (),
    "Checksums in cache files": (
        "fuzz::test_what_once_broke_a_reader_does_not_break_it_again",
        "fuzz::test_commands_take_or_refuse_our_own_files_with_other_values",
        "budgets::test_arrays_are_numbers_and_texts_in_one_form_beside_each_other",
    ),
    "The results that you receive": (),
    "Outside of `results/`": ("cli_outputs::test_a_link_that_leads_nowhere_is_not_followed",),
    "Environments in": (),
    "A profile is looked for": (),
    "Words of a command": ("cli_wrong_input::test_words_are_utf_8",),
    "Links in a mirror": (
        "acquire::test_links_in_a_mirror_are_followed_and_what_they_lead_to_is_checked",
        "acquire::test_a_checksum_mismatch_is_an_error_not_a_skip",
    ),
    "Data that a command writes": (
        "security::test_a_pipe_gets_data_as_they_are_and_words_without_control_characters",
        "security::test_a_file_keeps_names_as_they_are",
    ),
    "CSV files contain": ("cli_outputs::test_names_are_text_in_csv_and_xlsx",),
    "Texts in a compressed Feather file": (),
    "The size of a plain file": ("faults::test_too_little_memory_is_one_line",),
}


def section(title: str) -> str:
    """Return what stands below a title of the page, up to the next."""
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def sentences(title: str) -> Iterator[str]:
    for paragraph in section(title).strip().split("\n\n"):
        if not paragraph.startswith("|"):
            yield from re.split(r"(?<=[.!?])\s+(?=\S)", " ".join(paragraph.split()))


def rows() -> Iterator[str]:
    for line in section("What is guarded").splitlines():
        if line.startswith("|"):
            given, risk, _ = (cell.strip() for cell in line.strip("|").split(" | "))
            yield f"{given}: {risk}"


def items() -> list[str]:
    return [
        " ".join(item.split()) for item in re.split(r"^- ", section("What is not guarded"), flags=re.M)[1:]
    ]


CLAIMS = [*list(rows())[2:], *sentences("What is guarded"), *sentences("Failed downloads")]


@functools.cache
def module_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def file_of(test: str) -> Path:
    [path] = (ROOT / "tests").glob(f"*/test_{test.partition('::')[0]}.py")
    return path


def test_the_page_is_read_whole():
    assert len(CLAIMS) > 40 and len(items()) > 8
    assert len(set(CLAIMS)) == len(CLAIMS)


@pytest.mark.parametrize("claim", [*CLAIMS, *items()], ids=lambda claim: claim[:40])
def test_each_claim_is_shown_by_tests(claim):
    keys = [key for key in SHOWN_BY if claim.startswith(key)]
    assert len(keys) == 1, f"name the tests of this sentence: {claim}"
    assert SHOWN_BY[keys[0]] or claim in items(), f"no test shows this: {claim}"


def test_each_key_begins_a_claim():
    assert [key for key in SHOWN_BY if not any(claim.startswith(key) for claim in [*CLAIMS, *items()])] == []


@pytest.mark.parametrize("test", sorted({test for tests in SHOWN_BY.values() for test in tests}))
def test_a_test_that_is_named_is_there_and_not_skipped_by_a_mark(test):
    module = module_of(file_of(test))
    [found] = [each for each in module.body if getattr(each, "name", "") == test.partition("::")[2]]
    marks = [*found.decorator_list, *(each for each in module.body if "pytestmark" in ast.unparse(each)[:10])]
    assert not [mark for mark in map(ast.unparse, marks) if re.search(r"\bmark\.(skip|xfail)", mark)]
