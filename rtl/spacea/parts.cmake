# Of the blocks of SpaceA: sizes of csim/spacea/structure.def that a block has, as in rtl/CMakeLists.txt.
set(xcam_SIZES SETS WAYS)
set(ldq_SIZES ENTRIES)
set(spe_PARTS fma64)
