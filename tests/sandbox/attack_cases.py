"""The hostile policies of `tests/attacks`, and how each may end: the statuses, or None for one that plays on."""

from pathlib import Path

ATTACKS = Path(__file__).parent.parent / "attacks"

# Throws paper always, and never fails.
HONEST = "class Policy:\n    def act(self, obs):\n        return 1\n"

REFUSED = """
async_frame attrgetter big_source bom_inside class_cell context_chain copy_class_name ctypes_write_opponent
decorator_builtins deep_attr deep_unary del_method dunder_import enum_convert env_secret eval_string except_star
exit_traceback form_feed format_map fullwidth_dunder fullwidth_import gc_patch_opponent gen_frame getattr_hook
kill_parent_sig0 lambda_default_globals loop_cancel_alarm main_module_score map_str_format match_args_strings
match_attr np_ctypes_system np_f2py_os np_memmap np_poke_memory open_file operator_dict os_system posix_spawn
prefix_collision proc_ppid_environ reduce_hook regex_backtrack return_np_int set_name_hook slots_dunder str_format
subclasses subprocess super_getattribute sys_exit thread_bomb traceback_frame typing_string_hint udp_send
walrus_dunder wraps_dunder_name write_file
""".split()
EXCEPTION = """
abc_register_match act_is_property attrgetter_dotted attribute_error_obj chainmap_register copy_bound_method
copy_method_name dataclass_field_exec dataclass_field_late dataclass_replace_attr deep_recursion exception_long_name
exception_markup exit_traceback_getattr fullwidth_string generator_close_swallow getattr_str_subclass huge_exception
mangled_private mark_cacheinfo_new mark_fraction_new metaclass_call methodcaller_format namedtuple_injection
own_seed_by_override own_seed_by_startswith partial_getattr patch_random policy_deleted
policy_replaced print_megabytes raise_brokenpipe raise_generatorexit raise_kbdint raise_recursionerror
raise_stopiteration raise_systemexit random_inst random_private_os replay_opponent_by_own_seed
repr_nested_list repr_recursion shared_search sort_key_mutates
statistics_sys type_of_type type_three_arguments typing_forwardref
""".split()
ILLEGAL = """
changing_type evil_int_eq return_big return_float return_generator return_markers return_nan return_negative return_none
return_obs return_str return_true
""".split()
TIMEOUT = """
c_loop_sum comb_blowup evil_str_exc exception_storm factorial fraction_blowup init_sleep_spin loop_act loop_import
loop_swallow pow_huge
""".split()
MEMORY = """
bytes_bomb bytes_module format_width grow_memory huge_list percent_width raise_memoryerror zfill_bomb
""".split()
# These try something that has no effect outside their own process; they play on, paper always.
HARMLESS = """
annotation_string cross_match_memory encoding_cookie getstate_replay huge_docstring import_mutated_init
mark_by_other_doors mark_for_opponent mutate_obs nested_parens obs_deleted obs_replaced_lists patch_counter shared_marks
""".split()
# These play on with other throws.
PLAYING = ["guess_opponent_seed", "replay_computed_dice", "replay_opponent_seed"]
# How far these come depends on the allocator and on the speed of the machine.
EITHER = {
    "deque_growth": {"memory", "timeout"},
    "exception_bool_raises": {"crashed", "exception"},
    "exception_str_subclass": {"exception"},
    "exhaust_cpu_below_limit": {None, "timeout"},
    "grow_memory_swallow": {None, "memory", "crashed", "timeout"},
    "hash_nested_tuple": {"crashed", "timeout", "memory", "exception"},
    "int_to_str": {"exception", "timeout"},
    "list_self_extend": {"memory", "timeout"},
    "lru_growth": {"memory", "timeout"},
    "memory_channel": {None, "timeout"},
    "obs_bomb": {"memory", "timeout"},
    "segfault_itertools": {"crashed", "timeout"},
}

EXPECTED: dict[str, set[str | None]] = {
    **dict.fromkeys(REFUSED, {"refused"}),
    **dict.fromkeys(EXCEPTION, {"exception"}),
    **dict.fromkeys(ILLEGAL, {"illegal-action"}),
    **dict.fromkeys(TIMEOUT, {"timeout"}),
    **dict.fromkeys(MEMORY, {"memory"}),
    **dict.fromkeys(HARMLESS + PLAYING, {None}),
    **EITHER,
}

SOFT = [name for name in EXPECTED if name not in {*TIMEOUT, *MEMORY, *EITHER}]
"""Those that the guard, the process boundary and the protocol stop without limits on memory and long waits."""


def attack_text(name: str, folder: Path, port: int) -> str:
    """Returns the text of an attack that looks for a real folder and a real port."""
    if name == "big_source":
        return HONEST + "x = [" + "1," * 400_000 + "]\n"
    text = (ATTACKS / f"attack_{name}.py").read_text(encoding="utf-8")
    return text.replace("@CANARY@", str(folder)).replace("@PORT@", str(port)).replace("@TMP@", str(folder))
